// cli_video.c: `routh view --video`: pictures become a video by ffmpeg and go; without it, or where it fails, they are kept.
// Browser and ffmpeg are scripts of our own.
#include "program.h"

#include <sys/stat.h>

#define STOP ROUTH_SOURCE_DIR "/scenes/stop.yaml"

// As many pictures as the page is asked for
static const char browser[] =
    "#!/bin/sh\nfor a; do :; done\nn=$(echo \"${a##*shots=}\" | tr , '\\n' | wc -l)\n"
    "printf 'id=\"shots\">\\n'\ni=0\nwhile [ $i -lt $n ]; do echo iVBORw0KGgpmYWtl; i=$((i+1)); "
    "done\nprintf '</pre>'\n";
// Writes what it was given into its last word, the video.
static const char ffmpeg[] =
    "#!/bin/sh\nfor a; do o=$a; done\necho \"$(ls *.png | wc -l) pictures: $*\" > $o\n";
static const char broken[] = "#!/bin/sh\nexit 3\n";

static void put_script(const char *name, const char *text)
{
  rh_file_put(name, text);
  ck_assert_int_eq(chmod(name, 0755), 0);
}

static void enter_with_video(const char *video)
{
  char path[512];
  rh_folder_enter();
  rh_output output = routh("run", STOP, "--until", "0.1", "-o", "a.rhr", "-q");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  put_script("browser", browser);
  ck_assert_int_eq(setenv("ROUTH_BROWSER", "./browser", 1), 0);
  if (video) {
    put_script("video", video);
  }
  ck_assert_ptr_nonnull(getcwd(path, sizeof path - 8));
  memcpy(path + strlen(path), "/video",
         sizeof "/video"); // ffmpeg runs in the folder of the pictures
  ck_assert_int_eq(setenv("ROUTH_FFMPEG", path, 1), 0);
}

static bool without_page(const rh_output *output)
{
  return output->exit_code == 5 && strstr(output->err, "built without its page") != NULL;
}

// Five pictures, from 0 to 0.1 s; removes them with their folder.
static void check_pictures(void)
{
  static const char *const name[] = {"b-frames/00000.png", "b-frames/00001.png",
                                     "b-frames/00002.png", "b-frames/00003.png",
                                     "b-frames/00004.png"};
  for (int i = 0; i < 5; i++) {
    ck_assert_msg(rh_file_there(name[i]), "%s", name[i]);
    (void)unlink(name[i]);
  }
  ck_assert_int_eq(rmdir("b-frames"), 0); // nothing else is in it
}

START_TEST(made)
{
  enter_with_video(ffmpeg);
  rh_output output = routh("view", "a.rhr", "--video", "b.mp4", "--rate", "40", "--speed", "0.5");
  if (!without_page(&output)) {
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_contains(output.err, "wrote b.mp4 of 5 pictures");
    char text[512] = "";
    FILE *file = fopen("b.mp4", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    (void)fclose(file);
    ck_contains(text, "5 pictures: ");
    ck_contains(text, "-framerate 20 "); // 40 of a second, which takes two
    ck_contains(text, "-pix_fmt yuv420p video.mp4");
    ck_assert(!rh_file_there("b-frames"));
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *script, *why;
} kept[] = {{NULL, "ffmpeg is not there"}, {broken, "ffmpeg failed"}};

START_TEST(not_made)
{
  enter_with_video(kept[_i].script);
  rh_output output = routh("view", "a.rhr", "--video", "b.mp4", "--rate", "40");
  if (!without_page(&output)) {
    ck_assert_int_eq(output.exit_code, 5);
    ck_contains(output.err, kept[_i].why);
    ck_contains(output.err, "the pictures are kept");
    ck_contains(output.err, "b-frames");
    ck_assert(!rh_file_there("b.mp4"));
    check_pictures();
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *words[8];
    int code;
    const char *why;
  } rows[] = {
      {{"view", "a.rhr", "--video", "b"}, 2, "whose ending is a format"},
      {{"view", "a.rhr", "--video", "b.m/p4"}, 2, "whose ending is a format"},
      {{"view", "a.rhr", "--video", ".mp4"}, 2, "whose ending is a format"},
      {{"view", "a.rhr", "--video", "b.mp4", "--png", "c.png"}, 2, "one of --png"},
      {{"view", "a.rhr", "--video", "no/b.mp4"}, 5, "no/b-frames"},
      {{"view", "a.rhr", "--video", "c.mp4"}, 5, "remove it"},
      {{"view", "a.rhr", "--video", "b.mp4", "--speed", "0"}, 2, "--speed"},
  };

  enter_with_video(ffmpeg);
  ck_assert_int_eq(mkdir("c-frames", 0777), 0);
  rh_output output = rh_program_run(NULL, rows[_i].words);
  if (!without_page(&output)) {
    ck_assert_int_eq(output.exit_code, rows[_i].code);
    ck_contains(output.err, rows[_i].why);
  }
  ck_assert(!rh_file_there("b.mp4") && !rh_file_there("b-frames"));
  (void)rmdir("c-frames");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_video(void)
{
  Suite *suite = suite_create("cli_video");
  TCase *tests = tcase_create("video");
  tcase_add_test(tests, made);
  tcase_add_loop_test(tests, not_made, 0, 2);
  tcase_add_loop_test(tests, refused, 0, 7);
  suite_add_tcase(suite, tests);
  return suite;
}

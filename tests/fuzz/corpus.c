// fuzz_corpus.c: every seed of the fuzz targets goes through the same functions in the ordinary test build, so that a
// seed that once broke something keeps watch everywhere. One test a seed folder; a crash names the seed.
#include "fuzz/feed.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SEED_BYTES_MAX (1 << 20) // seeds are small; a larger one is a mistake

static void feed_file(const char *path, void (*feed)(const uint8_t *bytes, size_t size))
{
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s cannot be read", path);
  // In a block of exactly its size: a reader that runs over the end is seen by the sanitizer.
  uint8_t *bytes = malloc(SEED_BYTES_MAX);
  ck_assert_ptr_nonnull(bytes);
  size_t size = fread(bytes, 1, SEED_BYTES_MAX, file);
  (void)fclose(file);
  ck_assert_msg(size < SEED_BYTES_MAX, "%s is too large for a seed", path);
  uint8_t *exact = realloc(bytes, size > 0 ? size : 1);
  ck_assert_ptr_nonnull(exact);
  (void)fprintf(stderr, "seed %s\n", path);
  feed(exact, size);
  free(exact);
}

static int feed_folder(const char *name, void (*feed)(const uint8_t *bytes, size_t size))
{
  char folder[1024];
  (void)snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", ROUTH_SOURCE_DIR, name);
  DIR *dir = opendir(folder);
  ck_assert_msg(dir != NULL, "%s cannot be opened", folder);
  int count = 0;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    char path[2048];
    struct stat info;
    (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
      feed_file(path, feed);
      count++;
    }
  }
  (void)closedir(dir);
  return count;
}

START_TEST(scene_seeds)
{
  ck_assert_int_ge(feed_folder("scene", rh_feed_scene), 10);
  ck_assert_int_ge(feed_folder("language", rh_feed_scene), 3);
}

END_TEST

START_TEST(problem_seeds)
{
  ck_assert_int_ge(feed_folder("problem", rh_feed_problem), 5);
}

END_TEST

START_TEST(mesh_seeds)
{
  ck_assert_int_ge(feed_folder("mesh", rh_feed_mesh), 10);
}

END_TEST

START_TEST(mjcf_seeds)
{
  ck_assert_int_ge(feed_folder("mjcf", rh_feed_mjcf), 10);
}

END_TEST

START_TEST(sdf_seeds)
{
  ck_assert_int_ge(feed_folder("sdf", rh_feed_sdf), 10);
}

END_TEST

START_TEST(urdf_seeds)
{
  ck_assert_int_ge(feed_folder("urdf", rh_feed_urdf), 10);
}

END_TEST

START_TEST(nothing_at_all)
{
  rh_feed_scene((const uint8_t *)"", 0);
  rh_feed_problem((const uint8_t *)"", 0);
  rh_feed_mesh((const uint8_t *)"", 0);
  rh_feed_urdf((const uint8_t *)"", 0);
  rh_feed_mjcf((const uint8_t *)"", 0);
  rh_feed_sdf((const uint8_t *)"", 0);
}

END_TEST

Suite *rh_suite_fuzz_corpus(void)
{
  Suite *suite = suite_create("fuzz_corpus");
  TCase *tcase = tcase_create("seeds");
  tcase_add_test(tcase, scene_seeds);
  tcase_add_test(tcase, problem_seeds);
  tcase_add_test(tcase, mesh_seeds);
  tcase_add_test(tcase, urdf_seeds);
  tcase_add_test(tcase, mjcf_seeds);
  tcase_add_test(tcase, sdf_seeds);
  tcase_add_test(tcase, nothing_at_all);
  suite_add_tcase(suite, tcase);
  return suite;
}

// fuzz_corpus.c: every seed of the fuzz targets goes through the same functions in the ordinary test build, so that a
// seed that once broke something keeps watch everywhere. One test a seed folder; a crash names the seed.
#include "fuzz/feed.h"
#include "test.h"

#include <routh/base.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

START_TEST(look_seeds)
{
  ck_assert_int_ge(feed_folder("look", rh_feed_look), 10);
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

// ---- Seeds with damage: bytes changed, cut off, doubled

typedef void feeder(const uint8_t *bytes, size_t size);

static unsigned next_random(unsigned *state)
{
  *state = 1664525u * *state + 1013904223u;
  return *state >> 8;
}

static void feed_damaged(const uint8_t *seed, size_t size, unsigned *state, feeder *feed)
{
  static const char marks[] = "<>\"'= -+.e9\0\n/#[{\xff\x7f\x80";
  size_t length = next_random(state) % 3 == 0 ? next_random(state) % (size + 1) : size;
  uint8_t *bytes = malloc(length > 0 ? length : 1);
  ck_assert_ptr_nonnull(bytes);
  memcpy(bytes, seed, length);
  for (unsigned k = next_random(state) % 4; k > 0 && length > 0; k--) {
    size_t at = next_random(state) % length;
    size_t from = next_random(state) % length;
    size_t part = next_random(state) % 16;
    part = part < length - at ? part : length - at;
    part = part < length - from ? part : length - from;
    if (next_random(state) % 2 == 0) {
      memmove(bytes + at, bytes + from, part);
    } else {
      bytes[at] = (uint8_t)marks[next_random(state) % (sizeof marks - 1)];
    }
  }
  feed(bytes, length);
  free(bytes);
}

static feeder *damage_feed;
static int damage_each;
static unsigned damage_state;

static void feed_many_damaged(const uint8_t *bytes, size_t size)
{
  for (int i = 0; i < damage_each && size > 0; i++) {
    feed_damaged(bytes, size, &damage_state, damage_feed);
  }
}

static const struct {
  const char *folder;
  feeder *feed;
} damage[] = {{"mesh", rh_feed_mesh},
              {"look", rh_feed_look},
              {"mjcf", rh_feed_mjcf},
              {"urdf", rh_feed_urdf},
              {"sdf", rh_feed_sdf}};

START_TEST(damaged_seeds)
{
  damage_feed = damage[_i].feed;
  damage_state = 20261118;
  damage_each = rh_trials(288); // a quarter in the usual suite: 1000 of each sort
  int seeds = feed_folder(damage[_i].folder, feed_many_damaged);
  ck_assert_int_ge(seeds * damage_each, RH_TEST_SLOW ? 400 : 1000); // under a sanitizer fewer
}

END_TEST

START_TEST(nothing_at_all)
{
  rh_feed_scene((const uint8_t *)"", 0);
  rh_feed_problem((const uint8_t *)"", 0);
  rh_feed_mesh((const uint8_t *)"", 0);
  rh_feed_look((const uint8_t *)"", 0);
  rh_feed_urdf((const uint8_t *)"", 0);
  rh_feed_mjcf((const uint8_t *)"", 0);
  rh_feed_sdf((const uint8_t *)"", 0);
}

END_TEST

Suite *rh_suite_fuzz_corpus(void)
{
  Suite *suite = suite_create("fuzz_corpus");
  TCase *tcase = tcase_create("seeds");
  tcase_add_loop_test(tcase, damaged_seeds, 0, RH_COUNT(damage));
  tcase_add_test(tcase, scene_seeds);
  tcase_add_test(tcase, problem_seeds);
  tcase_add_test(tcase, mesh_seeds);
  tcase_add_test(tcase, urdf_seeds);
  tcase_add_test(tcase, look_seeds);
  tcase_add_test(tcase, mjcf_seeds);
  tcase_add_test(tcase, sdf_seeds);
  tcase_add_test(tcase, nothing_at_all);
  suite_add_tcase(suite, tcase);
  return suite;
}

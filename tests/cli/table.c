// cli_table: the table of docs/papers/README.md: every command of it is run and must end well. And the
// foot of [AF] in two engines against its closed form at rest.
#include "program.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 32, COMMANDS = 400, LINE = 1000 };

typedef struct command_list {
  char text[COMMANDS][LINE];
  int n;
} command_list;

// The command of a row of the table, the text between the last pair of `; false: it is no such row.
static bool command_of(const char *line, char *command)
{
  const char *mark = strstr(line, "| `routh ");
  mark = mark != NULL ? mark : strstr(line, "| `long: routh ");
  if (line[0] != '|' || mark == NULL) {
    return false;
  }
  const char *from = mark + 3;
  size_t length = strcspn(from, "`");
  ck_assert_msg(length < LINE && from[length] == '`', "no end of the command: %s", line);
  (void)snprintf(command, LINE, "%.*s", (int)length, from);
  return true;
}

// Commands of the table, each once, in its order.
static void read_table(command_list *list)
{
  char *text = rh_file_text(ROUTH_SOURCE_DIR "/docs/papers/README.md", NULL);
  char line[4 * LINE];
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, "\n");
    char command[LINE];
    ck_assert_uint_lt(length, sizeof line);
    (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
    at += length + (at[length] == '\n');
    if (!command_of(line, command)) {
      continue;
    }
    bool seen = false;
    for (int i = 0; i < list->n; i++) {
      seen = seen || strcmp(list->text[i], command) == 0;
    }
    if (!seen) {
      ck_assert_int_lt(list->n, COMMANDS);
      (void)snprintf(list->text[list->n++], LINE, "%s", command);
    }
  }
  free(text);
}

// The next word of a command, in double quotes if it has blanks; NULL: none. *rest goes on after it.
static char *next_word(char **rest)
{
  char *at = *rest + strspn(*rest, " ");
  const char *end = *at == '"' ? "\"" : " ";
  at += *at == '"';
  char *after = at + strcspn(at, end);
  *rest = after + (*after != '\0');
  *after = '\0';
  return *at != '\0' ? at : NULL;
}

static void run_command(const char *command)
{
  char words[LINE];
  const char *word[WORDS + 2];
  char *rest = words;
  int n = 0;
  (void)snprintf(words, sizeof words, "%s", command);
  for (char *at = next_word(&rest); at != NULL; at = next_word(&rest)) {
    ck_assert_int_lt(n, WORDS);
    if (n > 0 || strcmp(at, "routh") != 0) {
      word[n++] = at;
    }
  }
  if (strcmp(word[0], "paper") == 0) {
    word[n++] = "--no-picture";
  }
  word[n] = NULL;
  rh_output ran = rh_program_run(NULL, word);
  ck_assert_msg(ran.exit_code == 0, "%s: exit code %d\n%s%s", command, ran.exit_code, ran.out,
                ran.err);
  rh_output_free(&ran);
}

START_TEST(every_command_of_the_table)
{
  static command_list list;
  const char *asked = getenv("ROUTH_TEST_LONG");
  bool whole = asked != NULL && strcmp(asked, "1") == 0;
  int left = 0;
  list.n = 0;
  read_table(&list);
  ck_assert_int_ge(list.n, 50);
  rh_folder_enter();
  ck_assert_int_eq(symlink(ROUTH_SOURCE_DIR "/scenes", "scenes"), 0);
  run_command("routh run scenes/ball.yaml --until 0.2"); // the recording that `routh view` shows
  for (int i = 0; i < list.n; i++) {
    bool slow = strncmp(list.text[i], "long: ", 6) == 0;
    left += slow && !whole;
    mark_point();
    if (!slow || whole) {
      run_command(list.text[i] + (slow ? 6 : 0));
    }
  }
  (void)unlink("scenes");
  rh_folder_leave();
  if (left > 0) {
    (void)fprintf(stderr, "cli_table: %d long commands not run; ROUTH_TEST_LONG=1 runs them\n",
                  left);
  }
}

END_TEST

// At rest each of the four spheres carries a quarter of the weight: z = 0.06 m - (m g / (4 Kn))^(2/3).
START_TEST(foot_comes_to_rest)
{
  static const char *const engines[] = {"event", "stepping"};
  double depth = pow(2 * 9.81 / 4 / 8.5e6, 2.0 / 3);
  rh_folder_enter();
  for (int i = 0; i < 2; i++) {
    rh_output ran = rh_program_run(
        NULL, (const char *const[]){"run", ROUTH_SOURCE_DIR "/scenes/foot-spheres.yaml", "--engine",
                                    engines[i], "-o", "foot.rhr", NULL});
    ck_assert_msg(ran.exit_code == 0, "%s", ran.err);
    rh_output_free(&ran);
    ran = rh_program_run(NULL, (const char *const[]){"export", "foot.rhr", "-o", "foot.csv", NULL});
    ck_assert_int_eq(ran.exit_code, 0);
    rh_output_free(&ran);
    char *text = rh_file_text("foot.csv", NULL);
    char *last = strrchr(text, '\n');
    *last = '\0';
    last = strrchr(text, '\n') + 1;
    double column[4]; // t, x, y, z
    for (int c = 0; c < 4; c++) {
      column[c] = strtod(last, &last);
      last += *last == ',';
    }
    near_abs(column[0], 2, 1e-9);
    near_abs(column[3], 0.06 - depth, 1e-3 * depth); // it still settles at the end
    free(text);
    (void)unlink("foot.csv");
    (void)unlink("foot.rhr");
  }
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_table(void)
{
  Suite *suite = suite_create("cli_table");
  TCase *tests = tcase_create("papers");
  tcase_add_test(tests, every_command_of_the_table);
  tcase_add_test(tests, foot_comes_to_rest);
  suite_add_tcase(suite, tests);
  return suite;
}

// urdf_xml.c: expat's events as elements of URDF. The rows of urdf.c list the allowed elements;
// others are skipped and listed. Dangerous XML is refused: a document type (and with it every
// entity), deep nesting.
#include "urdf_part.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Messages

void rh_urdf_refuse(rh_urdf *u, rh_place place, const char *format, ...)
{
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  rh_diag_add(u->diag, RH_ERROR, place, "%s", text);
  u->refused = true;
}

void rh_urdf_refuse_value(rh_urdf *u, rh_place place, const char *format, ...)
{
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  rh_diag_add(u->diag, u->showing ? RH_WARNING : RH_ERROR, place, "%s%s", text,
              u->showing ? "; this visual is not shown" : "");
  u->spoiled = u->spoiled || u->showing;
  u->refused = u->refused || !u->showing;
}

// ---- Attributes

const char *rh_urdf_attribute(const rh_urdf *u, const char *name)
{
  for (int i = 0; u->attribute[i]; i += 2) {
    if (strcmp(u->attribute[i], name) == 0) {
      return u->attribute[i + 1];
    }
  }
  return NULL;
}

rh_place rh_urdf_attribute_place(const rh_urdf *u, const char *name)
{
  rh_xml_tag tag = rh_xml_present_tag(u->parser, u->text->text, u->text->bytes);
  tag.name = u->tag_name;
  tag.place = u->tag;
  return rh_xml_value_place(&tag, name);
}

bool rh_urdf_need_word(rh_urdf *u, const char *name, rh_robot_word *word)
{
  const char *text = rh_urdf_attribute(u, name);
  if (!text || !*text) {
    rh_urdf_refuse_value(u, u->tag, "<%.40s> needs the attribute %s", u->tag_name, name);
    return false;
  }
  word->name = rh_name_of(text);
  word->place = rh_urdf_attribute_place(u, name);
  return true;
}

bool rh_urdf_numbers(rh_urdf *u, const char *name, int n, rh_urdf_vec *vec)
{
  const char *text = rh_urdf_attribute(u, name);
  if (!text) {
    return false;
  }
  double x[RH_COUNT(vec->x)] = {0};
  rh_place place = rh_urdf_attribute_place(u, name);
  if (rh_xml_numbers(text, n, x) != n) {
    rh_urdf_refuse_value(
        u, place, "%s of <%.40s> must be %s, got '%.60s'%s", name, u->tag_name,
        n == 1   ? "a finite number"
        : n == 3 ? "three finite numbers"
                 : "four finite numbers",
        text,
        strstr(text, "${") ? ": this is of xacro, from which URDF is made: run xacro first" : "");
    return false;
  }
  vec->n = n;
  vec->place = place;
  memcpy(vec->x, x, sizeof x);
  return true;
}

bool rh_urdf_need_numbers(rh_urdf *u, const char *name, int n, rh_urdf_vec *vec)
{
  if (!rh_urdf_attribute(u, name)) {
    rh_urdf_refuse_value(u, u->tag, "<%.40s> needs the attribute %s", u->tag_name, name);
    return false;
  }
  return rh_urdf_numbers(u, name, n, vec);
}

static bool is_word_listed(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word)) {
    bool starts = at == words || at[-1] == ' ';
    if (starts && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

static void ignore_attributes(rh_urdf *u, const rh_urdf_row *row)
{
  for (int i = 0; u->attribute[i]; i += 2) {
    const char *name = u->attribute[i];
    if (strncmp(name, "xmlns", 5) != 0 && !is_word_listed(row->attributes, name)) {
      rh_ignored_add(&u->ignored, RH_NOTE, u->tag, "attribute %.40s of <%.20s> is not used", name,
                     u->tag_name);
    }
  }
}

// ---- Words and numbers

bool rh_urdf_is_world(const rh_robot_word *link)
{
  return strcmp(link->name.text, "world") == 0;
}

void rh_urdf_put_vec(rh_urdf *u, rh_node_list *map, const char *key, const rh_urdf_vec *vec)
{
  if (vec->n > 0) {
    rh_nodes_put_numbers(&u->nodes, map, key, vec->x, vec->n, vec->place);
  }
}

bool rh_urdf_keep_word(rh_urdf *u, rh_robot_word **list, int *count, int *room,
                       const rh_robot_word *word)
{
  if (*count == *room) {
    int more = *room > 0 ? 2 * *room : 64;
    rh_robot_word *grown = rh_realloc(*list, (size_t)more * sizeof *grown);
    if (!grown) {
      u->nodes.status = RH_OUT_OF_MEMORY;
      return false;
    }
    *list = grown;
    *room = more;
  }
  (*list)[(*count)++] = *word;
  return true;
}

// ---- Elements

static void stop_parser(rh_urdf *u)
{
  u->nodes.status = u->nodes.status == RH_OK ? RH_INPUT_REFUSED : u->nodes.status;
  (void)XML_StopParser(u->parser, XML_FALSE);
}

static rh_place place_now(const rh_urdf *u, size_t length)
{
  return rh_xml_place(u->parser, u->nodes.tree->file[u->text->file], length);
}

static const rh_urdf_row *find_row(const rh_urdf *u, rh_urdf_state in, const char *name)
{
  for (int i = 0; i < u->row_count; i++) {
    if (u->rows[i].in == in && strcmp(u->rows[i].name, name) == 0) {
      return &u->rows[i];
    }
  }
  return NULL;
}

// Robots and scenes of other programs, by their first element
static const struct {
  const char *root, *what;
} foreign[] = {
    {"mujoco", "an MJCF file (MuJoCo)"},
    {"mujocoinclude", "a part of an MJCF file (MuJoCo)"},
    {"sdf", "an SDF file (Gazebo)"},
    {"COLLADA", "a COLLADA file, which has graphics and no masses"},
    {"skel", "a SKEL file (DART)"},
    {"OpenSimDocument", "an OpenSim model"},
    {"Robot", "an OpenRAVE file"},
    {"KinBody", "an OpenRAVE file"},
    {"Environment", "an OpenRAVE file"},
    {"launch", "a launch file of ROS"},
};

static void refuse_root(rh_urdf *u)
{
  for (int i = 0; i < RH_COUNT(foreign); i++) {
    if (strcmp(u->tag_name, foreign[i].root) == 0) {
      bool mjcf = strncmp(u->tag_name, "mujoco", 6) == 0;
      bool sdf = strcmp(u->tag_name, "sdf") == 0;
      rh_urdf_refuse(u, u->tag, "this is %s; %s", foreign[i].what,
                     mjcf  ? "include: {mjcf: FILE} reads such"
                     : sdf ? "include: {sdf: FILE} reads such"
                           : "Routh reads URDF, which begins with <robot>");
      return;
    }
  }
  rh_urdf_refuse(u, u->tag, "a URDF file begins with <robot>, got <%.40s>", u->tag_name);
}

static void pass_over(rh_urdf *u, const rh_urdf_row *row)
{
  const rh_urdf_row *holder = u->open[u->depth - 1];
  u->skip = u->depth;
  if (u->depth == 1) {
    refuse_root(u);
    stop_parser(u);
  } else if (strncmp(u->tag_name, "xacro:", 6) == 0) {
    rh_urdf_refuse(u, u->tag, "<%.40s> is of xacro, from which URDF is made: run xacro first",
                   u->tag_name);
    stop_parser(u);
  } else if (row) {
    rh_ignored_add(&u->ignored, RH_NOTE, u->tag, "<%.40s> is not used", u->tag_name);
  } else {
    rh_ignored_add(&u->ignored, RH_WARNING, u->tag, "<%.40s> is not known in <%.20s> and not used",
                   u->tag_name, holder->name);
  }
}

static void forget_inside(rh_urdf *u, rh_urdf_state state)
{
  for (int i = 0; i < u->row_count; i++) {
    if (u->rows[i].in == state) {
      u->seen &= ~((uint64_t)1 << i);
    }
  }
}

static void open_row(rh_urdf *u, const rh_urdf_row *row)
{
  uint64_t bit = (uint64_t)1 << (row - u->rows);
  if (row->once && (u->seen & bit)) {
    rh_urdf_refuse_value(u, u->tag, "<%s> appears twice", row->name);
    u->skip = u->depth;
    return;
  }
  u->seen |= bit;
  u->open[u->depth] = row;
  forget_inside(u, row->state);
  ignore_attributes(u, row);
  if (row->start) {
    row->start(u);
  }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attribute)
{
  rh_urdf *u = user;
  if (u->nodes.status != RH_OK) {
    return;
  }
  u->tag_name = name;
  u->attribute = attribute;
  u->tag = place_now(u, strlen(name) + 1);
  if (u->depth == RH_URDF_DEPTH) {
    rh_urdf_refuse(u, u->tag, "elements are nested too deeply: %d are allowed", RH_URDF_DEPTH);
    stop_parser(u);
    return;
  }
  u->depth++;
  if (u->skip > 0) {
    return;
  }
  const rh_urdf_row *holder = u->open[u->depth - 1];
  const rh_urdf_row *row = find_row(u, holder ? holder->state : RH_URDF_TOP, name);
  if (row && row->state != RH_URDF_IGNORED) {
    open_row(u, row);
  } else {
    pass_over(u, row);
  }
  if (u->nodes.status != RH_OK) {
    stop_parser(u);
  }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
  rh_urdf *u = user;
  (void)name;
  if (u->nodes.status != RH_OK) {
    return;
  }
  if (u->skip == 0 && u->open[u->depth]->end) {
    u->open[u->depth]->end(u);
  } else if (u->skip == u->depth) {
    u->skip = 0;
  }
  u->open[u->depth--] = NULL;
  if (u->nodes.status != RH_OK) {
    stop_parser(u);
  }
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
  rh_urdf *u = user;
  for (int i = 0; u->nodes.status == RH_OK && u->skip == 0 && i < length; i++) {
    if (!rh_xml_is_blank(text[i])) {
      rh_ignored_add(&u->ignored, RH_WARNING, place_now(u, 1),
                     "text between the elements is not used");
      return;
    }
  }
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
  rh_urdf *u = user;
  (void)name;
  (void)system;
  (void)public;
  (void)internal;
  rh_urdf_refuse(u, place_now(u, 9), "a document type is not allowed: entities are not read");
  stop_parser(u);
}

static rh_status refuse_syntax(rh_urdf *u)
{
  enum XML_Error error = XML_GetErrorCode(u->parser);
  if (error == XML_ERROR_NO_MEMORY) {
    return RH_OUT_OF_MEMORY;
  }
  rh_urdf_refuse(u, place_now(u, 0), "not XML: %s", XML_ErrorString(error));
  return RH_INPUT_REFUSED;
}

rh_status rh_urdf_parse(rh_urdf *u)
{
  XML_Parser parser = rh_xml_open(u);
  if (!parser) {
    return RH_OUT_OF_MEMORY;
  }
  u->parser = parser;
  XML_SetElementHandler(parser, on_start, on_end);
  XML_SetCharacterDataHandler(parser, on_text);
  XML_SetStartDoctypeDeclHandler(parser, on_doctype);
  RH_ASSERT(u->text->bytes <= RH_FILE_MAX);
  enum XML_Status status = XML_Parse(parser, u->text->text, (int)u->text->bytes, XML_TRUE);
  if (status != XML_STATUS_OK && u->nodes.status == RH_OK) {
    u->nodes.status = refuse_syntax(u);
  }
  XML_ParserFree(parser);
  u->parser = NULL;
  return u->nodes.status;
}

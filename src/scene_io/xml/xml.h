// xml.h: XML from outside, by expat. Dangerous XML is refused: a document type (and with it every
// entity), deep nesting. Elements and values of attributes have places. A reader takes expat's events
// one by one (URDF) or the whole text as a tree (MJCF, whose defaults may follow what they apply to).
#ifndef ROUTH_SCENE_IO_XML_XML_H
#define ROUTH_SCENE_IO_XML_XML_H

#include <routh/base.h>

#define RH_XML_DEPTH        200     // elements within each other
#define RH_XML_ELEMENTS_MAX 1000000 // of a tree

// ---- Text

bool rh_xml_is_blank(char c);
// Number of numbers in a text, at most `most` + 1; RH_NONE if there is other text, or a number is
// too large.
int rh_xml_numbers(const char *text, int most, double *x);

// ---- Events of expat: `parser` is an XML_Parser

// Does the first element of the text have a name that begins so?
bool rh_xml_begins_with(const char *text, size_t bytes, const char *name);
void *rh_xml_open(void *user); // a parser with the checks of memory; NULL: out of memory
rh_place rh_xml_place(void *parser, const char *file, size_t length); // of the present event

typedef struct rh_xml_tag { // the start of an element: its bytes in the text
  const char *bytes;        // NULL: unknown, as in another encoding
  size_t count;
  const char *name;
  rh_place place;
} rh_xml_tag;

rh_xml_tag rh_xml_present_tag(void *parser, const char *text, size_t bytes);
// Place of the value of an attribute; that of the tag where it is not found.
rh_place rh_xml_value_place(const rh_xml_tag *tag, const char *attribute);

// ---- Ignored content: one message per sort, with its lines

#define RH_IGNORED_SORTS 64

typedef struct rh_ignored_sort {
  char what[96];
  rh_severity severity;
  int count; // lines since the last message
  rh_place first;
  char lines[640];
} rh_ignored_sort;

typedef struct rh_ignored { // all zero but `diag`: empty
  rh_diag *diag;
  rh_ignored_sort sort[RH_IGNORED_SORTS];
  int count;
} rh_ignored;

// Collects lines of ignored content.
void rh_ignored_add(rh_ignored *ignored, rh_severity severity, rh_place place, const char *format,
                    ...) RH_PRINTF(4, 5);
void rh_ignored_report(rh_ignored *ignored); // warnings first

// ---- Tree

typedef struct rh_xml_attribute {
  const char *name, *value;
  rh_place place; // of the value
} rh_xml_attribute;

typedef struct rh_xml_element {
  const char *name;
  rh_place place;
  int parent, first, last, next; // elements, RH_NONE
  int nattribute;
  rh_xml_attribute *attribute;
  const char *text; // of an element that holds no other, where texts are read; NULL: none
  rh_place text_place;
} rh_xml_element;

struct rh_xml_block;

typedef struct rh_xml { // all zero: empty
  rh_xml_element *element;
  int count, room;
  bool texts;                 // elements may hold text; otherwise it is refused
  struct rh_xml_block *block; // texts and attributes
} rh_xml;

// Reads a text. `*root` is its outermost element, which has no parent.
rh_status rh_xml_read(rh_xml *xml, const char *text, size_t bytes, const char *file, rh_diag *diag,
                      int *root) RH_CHECK_RESULT;
void rh_xml_free(rh_xml *xml);
void *rh_xml_keep(rh_xml *xml, size_t bytes); // memory that lasts as long as the tree, zero; NULL
const char *rh_xml_keep_text(rh_xml *xml, const char *text);
// A new element at the end of `parent` (RH_NONE: of nothing); RH_NONE: out of memory or too many.
int rh_xml_add(rh_xml *xml, rh_xml_element element, int parent);
// A copy of an element with all that it holds, at the end of `parent`; RH_NONE as rh_xml_add.
int rh_xml_copy(rh_xml *xml, int element, int parent);
// The element that follows in the text, within `top`; RH_NONE at the end. `inside`: what the present
// one holds comes first.
int rh_xml_following(const rh_xml *xml, int element, int top, bool inside);
const rh_xml_attribute *rh_xml_find(const rh_xml *xml, int element, const char *name); // NULL

#endif

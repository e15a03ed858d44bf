// xml_tree.c: a whole XML text as a tree of elements with places.
#include "xml.h"

#include "base/text.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>

typedef struct rh_xml_block {
  struct rh_xml_block *next;
  size_t used, size;
  double bytes[]; // aligned for all that is kept
} rh_xml_block;

enum { BLOCK_BYTES = 64 << 10 };

typedef struct reading {
  rh_xml *xml;
  XML_Parser parser;
  const char *text, *file;
  size_t bytes;
  rh_diag *diag;
  rh_status status;
  int open[RH_XML_DEPTH + 1];
  int depth;
  int root;
  rh_text inside; // text of the element that is open
  rh_place inside_place;
} reading;

// ---- Memory

void *rh_xml_keep(rh_xml *xml, size_t bytes)
{
  bytes = (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  rh_xml_block *block = xml->block;
  if (!block || block->size - block->used < bytes) {
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    block = rh_alloc(sizeof *block + size);
    if (!block) {
      return NULL;
    }
    block->size = size;
    block->next = xml->block;
    xml->block = block;
  }
  void *kept = (char *)block->bytes + block->used;
  block->used += bytes;
  memset(kept, 0, bytes);
  return kept;
}

const char *rh_xml_keep_text(rh_xml *xml, const char *text)
{
  char *kept = rh_xml_keep(xml, strlen(text) + 1);
  return kept ? memcpy(kept, text, strlen(text) + 1) : NULL;
}

void rh_xml_free(rh_xml *xml)
{
  rh_xml_block *block = xml->block;
  while (block) {
    rh_xml_block *next = block->next;
    rh_free(block);
    block = next;
  }
  rh_free(xml->element);
  *xml = (rh_xml){0};
}

// ---- Elements

int rh_xml_add(rh_xml *xml, rh_xml_element element, int parent)
{
  if (xml->count == RH_XML_ELEMENTS_MAX) {
    return RH_NONE;
  }
  if (xml->count == xml->room) {
    int more = xml->room > 0 ? 2 * xml->room : 256;
    rh_xml_element *grown = rh_realloc(xml->element, (size_t)more * sizeof *grown);
    if (!grown) {
      return RH_NONE;
    }
    xml->element = grown;
    xml->room = more;
  }
  int made = xml->count++;
  element.parent = parent;
  element.first = element.last = element.next = RH_NONE;
  xml->element[made] = element;
  if (parent != RH_NONE) {
    rh_xml_element *holder = &xml->element[parent];
    if (holder->last == RH_NONE) {
      holder->first = made;
    } else {
      xml->element[holder->last].next = made;
    }
    holder->last = made;
  }
  return made;
}

int rh_xml_following(const rh_xml *xml, int element, int top, bool inside)
{
  if (inside && xml->element[element].first != RH_NONE) {
    return xml->element[element].first;
  }
  while (element != top && xml->element[element].next == RH_NONE) {
    element = xml->element[element].parent;
  }
  return element == top ? RH_NONE : xml->element[element].next;
}

int rh_xml_copy(rh_xml *xml, int element, int parent)
{
  int from = element;
  int made = rh_xml_add(xml, xml->element[from], parent);
  int root = made;
  while (made != RH_NONE) {
    int next = rh_xml_following(xml, from, element, true);
    if (next == RH_NONE) {
      return root;
    }
    int to = made; // parent of the copy of `next`
    if (xml->element[next].parent != from) {
      int at = from;
      while (xml->element[at].parent != xml->element[next].parent) {
        at = xml->element[at].parent;
        to = xml->element[to].parent;
      }
      to = xml->element[to].parent;
    }
    made = rh_xml_add(xml, xml->element[next], to);
    from = next;
  }
  return RH_NONE;
}

const rh_xml_attribute *rh_xml_find(const rh_xml *xml, int element, const char *name)
{
  const rh_xml_element *e = &xml->element[element];
  for (int i = 0; i < e->nattribute; i++) {
    if (strcmp(e->attribute[i].name, name) == 0) {
      return &e->attribute[i];
    }
  }
  return NULL;
}

// ---- Events

static void stop_parser(reading *r, rh_status status)
{
  r->status = r->status == RH_OK ? status : r->status;
  (void)XML_StopParser(r->parser, XML_FALSE);
}

static bool keep_attributes(reading *r, const XML_Char **attribute, rh_xml_element *e)
{
  rh_xml_tag tag = rh_xml_present_tag(r->parser, r->text, r->bytes);
  tag.name = e->name;
  tag.place = e->place;
  while (attribute[2 * e->nattribute]) {
    e->nattribute++;
  }
  e->attribute = rh_xml_keep(r->xml, (size_t)e->nattribute * sizeof *e->attribute + 1);
  for (int i = 0; e->attribute && i < e->nattribute; i++) {
    rh_xml_attribute *a = &e->attribute[i];
    a->name = rh_xml_keep_text(r->xml, attribute[2 * i]);
    a->value = rh_xml_keep_text(r->xml, attribute[2 * i + 1]);
    if (!a->name || !a->value) {
      return false;
    }
    a->place = rh_xml_value_place(&tag, a->name);
  }
  return e->attribute != NULL;
}

static void refuse_text(reading *r, rh_place place)
{
  rh_diag_add(r->diag, RH_ERROR, place, "there must be no text between the elements");
  stop_parser(r, RH_INPUT_REFUSED);
}

static void forget_text(reading *r)
{
  r->inside.size = 0;
  r->inside_place = (rh_place){0};
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attribute)
{
  reading *r = user;
  if (r->status != RH_OK) {
    return;
  }
  if (r->inside_place.file) {
    refuse_text(r, r->inside_place);
    return;
  }
  forget_text(r);
  rh_xml_element e = {.place = rh_xml_place(r->parser, r->file, strlen(name) + 1)};
  if (r->depth == RH_XML_DEPTH) {
    rh_diag_add(r->diag, RH_ERROR, e.place, "elements are nested too deeply: %d are allowed",
                RH_XML_DEPTH);
    stop_parser(r, RH_INPUT_REFUSED);
    return;
  }
  e.name = rh_xml_keep_text(r->xml, name);
  int made = RH_NONE;
  if (e.name && keep_attributes(r, attribute, &e)) {
    made = rh_xml_add(r->xml, e, r->depth > 0 ? r->open[r->depth] : RH_NONE);
  }
  if (made == RH_NONE && r->xml->count == RH_XML_ELEMENTS_MAX) {
    rh_diag_add(r->diag, RH_ERROR, e.place, "too many elements: a model may have %d",
                RH_XML_ELEMENTS_MAX);
    stop_parser(r, RH_INPUT_REFUSED);
  } else if (made == RH_NONE) {
    stop_parser(r, RH_OUT_OF_MEMORY);
  } else {
    r->root = r->depth == 0 ? made : r->root;
    r->open[++r->depth] = made;
  }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
  reading *r = user;
  (void)name;
  if (r->status != RH_OK) {
    return;
  }
  rh_xml_element *e = &r->xml->element[r->open[r->depth]];
  if (r->inside_place.file && e->first != RH_NONE) {
    refuse_text(r, r->inside_place);
  } else if (r->inside_place.file) {
    e->text = r->inside.failed ? NULL : rh_xml_keep_text(r->xml, r->inside.data);
    e->text_place = r->inside_place;
    if (!e->text) {
      stop_parser(r, RH_OUT_OF_MEMORY);
    }
  }
  forget_text(r);
  r->depth -= r->status == RH_OK;
}

// Blanks before a text do not belong to it.
static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
  reading *r = user;
  int i = 0;
  rh_place place = rh_xml_place(r->parser, r->file, 1);
  while (r->status == RH_OK && !r->inside_place.file && i < length && rh_xml_is_blank(text[i])) {
    place.line += text[i] == '\n';
    place.column = text[i] == '\n' ? 1 : place.column + 1;
    i++;
  }
  if (r->status != RH_OK || i == length) {
    return;
  }
  if (!r->xml->texts) {
    refuse_text(r, place);
    return;
  }
  r->inside_place = r->inside_place.file ? r->inside_place : place;
  rh_text_add_bytes(&r->inside, text + i, (size_t)(length - i));
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
  reading *r = user;
  (void)name;
  (void)system;
  (void)public;
  (void)internal;
  rh_diag_add(r->diag, RH_ERROR, rh_xml_place(r->parser, r->file, 9),
              "a document type is not allowed: entities are not read");
  stop_parser(r, RH_INPUT_REFUSED);
}

// NOLINTNEXTLINE(readability-function-size): text, file and result are six parameters
rh_status rh_xml_read(rh_xml *xml, const char *text, size_t bytes, const char *file, rh_diag *diag,
                      int *root)
{
  reading *r = rh_alloc(sizeof *r);
  if (!r) {
    return RH_OUT_OF_MEMORY;
  }
  *r = (reading){.xml = xml, .text = text, .bytes = bytes, .file = file, .diag = diag};
  r->root = RH_NONE;
  r->parser = rh_xml_open(r);
  rh_status status = r->parser ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    enum XML_Status parsed = XML_Parse(r->parser, text, (int)bytes, XML_TRUE);
    enum XML_Error error = XML_GetErrorCode(r->parser);
    status = r->status;
    if (parsed != XML_STATUS_OK && status == RH_OK && error == XML_ERROR_NO_MEMORY) {
      status = RH_OUT_OF_MEMORY;
    } else if (parsed != XML_STATUS_OK && status == RH_OK) {
      rh_diag_add(diag, RH_ERROR, rh_xml_place(r->parser, file, 0), "not XML: %s",
                  XML_ErrorString(error));
      status = RH_INPUT_REFUSED;
    }
    XML_ParserFree(r->parser);
  }
  *root = r->root;
  rh_text_free(&r->inside);
  rh_free(r);
  return status;
}

// html.h: pieces of a page: safe text, lists and tables from the manual, pictures of gnuplot.
#ifndef ROUTH_CONSOLE_HTML_H
#define ROUTH_CONSOLE_HTML_H

#include "base/text.h"

// Plain text: markup is escaped, damaged bytes and control characters become U+FFFD.
void rh_html_text(rh_text *to, const char *text);
// The points ("* ...") below the heading "## heading", each as an item of a list. Returns their
// number.
int rh_html_points(rh_text *to, const char *markdown, const char *heading);
// The rows of a table whose first cell contains `word`. Returns their number.
int rh_html_rows(rh_text *to, const char *markdown, const char *word);
// A picture of gnuplot; its marks are named `name`-... so that one page can have several.
void rh_html_svg(rh_text *to, const char *svg, const char *name);

#endif

// html.h: pieces of a page: text that is safe in it, lists and tables out of the manual, pictures of gnuplot.
#ifndef ROUTH_CLI_HTML_H
#define ROUTH_CLI_HTML_H

#include "base/text.h"

// Text as it is: what HTML would read is escaped, damaged bytes and control characters become U+FFFD.
void rh_html_text(rh_text *to, const char *text);
// The points ("* ...") below the heading "## heading", each as an item of a list. Returns how many there are.
int rh_html_points(rh_text *to, const char *markdown, const char *heading);
// The rows of a table whose first cell has `word` in it. Returns how many there are.
int rh_html_rows(rh_text *to, const char *markdown, const char *word);
// A picture as gnuplot writes it; its marks are called `name`-... so that several can stand on one page.
void rh_html_svg(rh_text *to, const char *svg, const char *name);

#endif

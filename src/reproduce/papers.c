// papers.c: all papers and figures.
#include "figure.h"

#include <string.h>

static const rh_figure *const figures[] = {
#define RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE_PROBLEMS(paper, name)
#define RH_FIGURE_BOOK(paper, name)
#define RH_FIGURE(name) &rh_figure_##name,
#include "reproduce/figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_BOOK
#undef RH_FIGURE_PROBLEMS
#undef RH_FIGURE_SCENE
};

static const char *const figure_name[] = {
#define RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE_PROBLEMS(paper, name)
#define RH_FIGURE_BOOK(paper, name)
#define RH_FIGURE(name) #name,
#include "reproduce/figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_BOOK
#undef RH_FIGURE_PROBLEMS
#undef RH_FIGURE_SCENE
};

typedef struct paper {
  const char *name, *cite, *doc;
} paper;

static const paper papers[] = {
    {"mo", "[MO]", "Marhefka & Orin: simulation of contact using a nonlinear damping model"},
    {"af", "[AF]",
     "Azad & Featherstone: contact between a rolling sphere and a compliant ground plane"},
    {"wk", "[WK]", "Wang & Kumar: mechanical systems with multiple frictional contacts"},
    {"ch", "[Ch]",
     "Chatterjee: three-dimensional indeterminate impacts in legged robotic locomotion"},
    {"csc", "[CSC]",
     "Constantinescu, Salcudean & Croft: haptic rendering of rigid contacts using impulsive and "
     "penalty forces"},
};

int rh_paper_count(void)
{
  return RH_COUNT(papers);
}

rh_row rh_paper_row(int index)
{
  return (rh_row){.name = papers[index].name, .cite = "", .doc = papers[index].doc};
}

const char *rh_paper_cite(const char *name)
{
  for (int i = 0; i < RH_COUNT(papers); i++) {
    if (strcmp(papers[i].name, name) == 0) {
      return papers[i].cite;
    }
  }
  return name;
}

int rh_figure_count(void)
{
  return RH_COUNT(figures);
}

const rh_figure *rh_figure_get(int index, const char **name)
{
  *name = figure_name[index];
  return figures[index];
}

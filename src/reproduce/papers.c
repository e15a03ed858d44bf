// papers.c: all papers and figures, and the scenes inside the program.
#include "reproduce/ch/ch.h"

#include <string.h>

typedef struct embedded { // a file of a paper
  const char *paper, *name;
  rh_scene_text text;
} embedded;

static const embedded files[] = {
#define RH_PAPER(paper)                                                                            \
  {#paper,                                                                                         \
   NULL,                                                                                           \
   {"scenes/papers/" #paper "/figures.yaml", rh_figures_##paper, &rh_figures_##paper##_size}},
#define RH_PAPER_SCENE(paper, name)    {#paper, #name, RH_SCENE_TEXT(paper, name)},
#define RH_PAPER_PROBLEMS(paper, name) RH_PAPER_SCENE(paper, name)
#define RH_PAPER_BOOK(paper, name)     RH_PAPER_SCENE(paper, name)
#include "scenes.def"
#undef RH_PAPER_BOOK
#undef RH_PAPER_PROBLEMS
#undef RH_PAPER_SCENE
#undef RH_PAPER
};

const rh_scene_text *rh_paper_scene(const char *paper, const char *name)
{
  for (int i = 0; i < RH_COUNT(files); i++) {
    bool scene = files[i].name != NULL;
    if (scene && strcmp(files[i].paper, paper) == 0 && strcmp(files[i].name, name) == 0) {
      return &files[i].text;
    }
  }
  return NULL;
}

const rh_scene_text *rh_paper_file(const char *path)
{
  static const rh_scene_text *const more[] = {&rh_ch_atlas_scene, &rh_ch_chain, &rh_ch_humanoid};
  for (int i = 0; i < RH_COUNT(more); i++) {
    if (strcmp(more[i]->path, path) == 0) {
      return more[i];
    }
  }
  for (int i = 0; i < RH_COUNT(files); i++) {
    if (files[i].name != NULL && strcmp(files[i].text.path, path) == 0) {
      return &files[i].text;
    }
  }
  return NULL;
}

// ---- Papers

static struct {
  rh_figures paper[RH_PAPERS_MAX];
  int n;
  bool read;
  rh_status status;
} all;

static rh_status read_papers(rh_diag *diag)
{
  rh_status status = RH_OK;
  for (int i = 0; i < RH_COUNT(files); i++) {
    if (files[i].name == NULL) {
      RH_ASSERT(all.n < RH_PAPERS_MAX);
      rh_status one = rh_figures_read(&files[i].text, diag, &all.paper[all.n++]);
      status = status == RH_OK ? one : status;
    }
  }
  return status;
}

void rh_papers_free(void)
{
  for (int i = 0; i < all.n; i++) {
    rh_figures_free(&all.paper[i]);
  }
  all.n = 0;
  all.read = false;
}

rh_status rh_papers_load(void)
{
  if (all.read) {
    return all.status;
  }
  rh_diag *diag = rh_diag_create();
  all.status = diag != NULL ? read_papers(diag) : RH_OUT_OF_MEMORY;
  if (all.status != RH_OK) {
    rh_papers_free();
    if (diag == NULL || rh_diag_count(diag, RH_ERROR) == 0) {
      rh_refuse(all.status, "%s", rh_status_message(all.status));
    }
  }
  if (diag != NULL) {
    rh_diag_print(&(rh_request){0}, diag, "there are no figures");
  }
  rh_diag_destroy(diag);
  all.read = true;
  return all.status;
}

int rh_paper_count(void)
{
  (void)rh_papers_load();
  return all.n;
}

rh_row rh_paper_row(int index)
{
  (void)rh_papers_load();
  return (rh_row){.name = all.paper[index].name, .cite = "", .doc = all.paper[index].doc};
}

const char *rh_paper_cite(const char *name)
{
  (void)rh_papers_load();
  for (int i = 0; i < all.n; i++) {
    if (strcmp(all.paper[i].name, name) == 0) {
      return all.paper[i].cite;
    }
  }
  return name;
}

int rh_figure_count(void)
{
  int count = 0;
  (void)rh_papers_load();
  for (int i = 0; i < all.n; i++) {
    count += all.paper[i].n;
  }
  return count;
}

const rh_figure *rh_figure_get(int index)
{
  int i = 0;
  (void)rh_papers_load();
  for (; index >= all.paper[i].n; i++) {
    index -= all.paper[i].n;
  }
  return &all.paper[i].figure[index];
}

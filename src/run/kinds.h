// kinds.h: the kinds whose rows are in higher folders than the model's.
#ifndef ROUTH_RUN_KINDS_H
#define ROUTH_RUN_KINDS_H

// rh_scene_create does it; for a program that reads the schema before its first scene
void rh_kinds_load(void);

#endif

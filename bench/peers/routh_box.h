/* S7 of the Routh adapter: see routh_box.c. */
#ifndef ROUTH_BOX_H
#define ROUTH_BOX_H

int routh_box_main(int argc, char **argv);

#endif

// feed.h: what the fuzz targets do with one input; the suite fuzz_corpus does the same with the seeds.
#ifndef ROUTH_FUZZ_FEED_H
#define ROUTH_FUZZ_FEED_H

#include <stddef.h>
#include <stdint.h>

// All abort when something that must hold does not; a refused input is no failure.
void rh_feed_scene(const uint8_t *bytes, size_t size);
void rh_feed_problem(const uint8_t *bytes, size_t size);
void rh_feed_urdf(const uint8_t *bytes, size_t size);
void rh_feed_mjcf(const uint8_t *bytes, size_t size);
void rh_feed_sdf(const uint8_t *bytes, size_t size);
void rh_feed_mesh(const uint8_t *bytes, size_t size);
void rh_feed_look(const uint8_t *bytes, size_t size);

#endif

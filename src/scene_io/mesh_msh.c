// mesh_msh.c: MuJoCo's binary meshes: four counts (vertices, normals, texture coordinates, faces), then
// floats of the first three and indices of the faces. Numbers are little-endian.
#include "mesh_part.h"

#include <math.h>
#include <string.h>

enum { HEAD = 16 };

static uint32_t word_at(const char *bytes, size_t at)
{
  const unsigned char *b = (const unsigned char *)bytes + at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *bytes, size_t at)
{
  uint32_t bits = word_at(bytes, at);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static rh_status refuse_file(rh_mesh_job *job, const char *why)
{
  rh_diag_add(job->diag, RH_ERROR, (rh_place){.file = job->name}, "%s", why);
  return RH_INPUT_REFUSED;
}

rh_status rh_mesh_msh(rh_mesh_job *job)
{
  size_t size = (size_t)(job->end - job->start);
  if (size < HEAD) {
    return refuse_file(job, "is too short for a mesh: it has no counts");
  }
  size_t nvert = word_at(job->start, 0);
  size_t nnormal = word_at(job->start, 4);
  size_t ntexture = word_at(job->start, 8);
  size_t nface = word_at(job->start, 12);
  if (nvert > RH_MESH_VERTS_MAX || nface > RH_MESH_TRIS_MAX || nnormal > RH_MESH_VERTS_MAX ||
      ntexture > RH_MESH_VERTS_MAX) {
    return RH_OVER_LIMIT;
  }
  if (nvert == 0 || size != HEAD + 12 * nvert + 12 * nnormal + 8 * ntexture + 12 * nface) {
    return refuse_file(job, "is no mesh: its size is not that of its counts");
  }
  rh_mesh *mesh = job->mesh;
  mesh->single = true;
  mesh->vert = rh_alloc(nvert * sizeof *mesh->vert);
  mesh->tri = rh_alloc((nface + 1) * sizeof *mesh->tri);
  if (!mesh->vert || !mesh->tri) {
    return RH_OUT_OF_MEMORY;
  }
  mesh->nvert = (int)nvert;
  mesh->ntri = (int)nface;
  for (size_t i = 0; i < 3 * nvert; i++) {
    double x = float_at(job->start, HEAD + 4 * i);
    double *to = i % 3 == 0   ? &mesh->vert[i / 3].x
                 : i % 3 == 1 ? &mesh->vert[i / 3].y
                              : &mesh->vert[i / 3].z;
    *to = x;
    if (!(fabs(x) <= RH_MESH_COORD_MAX)) {
      return refuse_file(job, "has a coordinate that is not finite or too large");
    }
  }
  size_t faces = HEAD + 12 * nvert + 12 * nnormal + 8 * ntexture;
  for (size_t i = 0; i < 3 * nface; i++) {
    uint32_t corner = word_at(job->start, faces + 4 * i);
    if (corner >= nvert) {
      return refuse_file(job, "has a face with a vertex that is not there");
    }
    mesh->tri[i / 3][i % 3] = (int)corner;
  }
  return RH_OK;
}

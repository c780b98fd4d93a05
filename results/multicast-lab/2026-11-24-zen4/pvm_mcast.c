/* pvm one-to-n: master pb m N BYTES MSGS ; slaves spawned. pvm_mcast, then one answer of each, timed to the last. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static int cmp(const void* a, const void* b) {
  double x = *(double*)a, y = *(double*)b;
  return (x > y) - (x < y);
}
int main(int c, char** v) {
  int parent = pvm_parent();
  int enc = PvmDataRaw;
  if (parent > 0) {
    int bytes, n;
    char* buf = NULL;
    size_t cap = 0;
    for (;;) {
      pvm_recv(parent, -1);
      int bid = pvm_getrbuf(), len, tag, tid;
      pvm_bufinfo(bid, &len, &tag, &tid);
      if (tag == 9) break;
      pvm_upkint(&bytes, 1, 1);
      if ((size_t)bytes > cap) {
        buf = realloc(buf, bytes);
        cap = bytes;
      }
      pvm_upkbyte(buf, bytes, 1);
      pvm_initsend(enc);
      n = 1;
      pvm_pkint(&n, 1, 1);
      pvm_send(parent, 2);
    }
    pvm_exit();
    return 0;
  }
  int n = atoi(v[1]), msgs = atoi(v[3]), bytes = atoi(v[2]);
  pvm_mytid();
  int nh, na;
  struct pvmhostinfo* h;
  pvm_config(&nh, &na, &h);
  if (nh < n + 1) {
    fprintf(stderr, "only %d hosts\n", nh);
    pvm_exit();
    return 1;
  }
  int* tids = calloc(n, sizeof *tids);
  int own = pvm_tidtohost(pvm_mytid()), at = 0;
  for (int i = 0; i < nh && at < n; ++i) {
    if (h[i].hi_tid == own) continue;
    if (pvm_spawn(v[0], NULL, PvmTaskHost, h[i].hi_name, 1, &tids[at]) != 1) {
      fprintf(stderr, "spawn on %s: %d\n", h[i].hi_name, tids[at]);
      return 1;
    }
    ++at;
  }
  char* buf = malloc(bytes);
  memset(buf, 'x', bytes);
  double* t = calloc(msgs, sizeof *t);
  for (int m = -2; m < msgs; ++m) {
    double b = now();
    pvm_initsend(enc);
    pvm_pkint(&bytes, 1, 1);
    pvm_pkbyte(buf, bytes, 1);
    pvm_mcast(tids, n, 1);
    for (int i = 0; i < n; ++i) pvm_recv(-1, 2);
    if (m >= 0) t[m] = now() - b;
  }
  pvm_initsend(enc);
  pvm_mcast(tids, n, 9);
  printf("pvm_mcast %d receivers %d bytes %d messages, ms:", n, bytes, msgs);
  for (int m = 0; m < msgs; ++m) printf(" %.3f", t[m]);
  qsort(t, msgs, sizeof *t, cmp);
  printf("\nmedian %.3f min %.3f max %.3f\n", (t[msgs / 2] + t[(msgs - 1) / 2]) / 2, t[0], t[msgs - 1]);
  fflush(stdout);
  pvm_exit();
  return 0;
}

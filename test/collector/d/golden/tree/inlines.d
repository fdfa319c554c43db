inline int MILLION = 1000 * 1000;
inline string NAME = $$2;
inline int between[int low, int high] = low < high ? 1 : 0;
inline uint64_t N = $1;
BEGIN { x = between[1, 2] + MILLION; }

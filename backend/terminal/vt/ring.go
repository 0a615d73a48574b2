package vt

// chunkSize is the unit in bytes in which a ring grows and shrinks.
const chunkSize = 64 << 10

// ring keeps the newest bytes of a stream by their offset. It allocates only as
// output is written, so that a quiet terminal costs little.
type ring struct {
	chunks [][]byte // all full but the last
	start  uint64   // offset of the first byte that is kept
	head   uint64   // offset after the last
	spare  []byte   // the chunk that was dropped last, for reuse
}

// append adds p, and drops whole chunks while more bytes than limit returns are kept.
func (r *ring) append(p []byte, limit func(start uint64) uint64) {
	for len(p) > 0 {
		if n := len(r.chunks); n == 0 || len(r.chunks[n-1]) == chunkSize {
			chunk := r.spare
			r.spare = nil
			if chunk == nil {
				chunk = make([]byte, 0, chunkSize)
			}
			r.chunks = append(r.chunks, chunk[:0])
		}
		last := &r.chunks[len(r.chunks)-1]
		n := min(len(p), chunkSize-len(*last))
		*last = append(*last, p[:n]...)
		r.head += uint64(n)
		p = p[n:]
	}
	for r.head-r.start >= limit(r.start)+chunkSize {
		r.spare = r.chunks[0]
		r.chunks[0] = nil
		r.chunks = r.chunks[1:]
		r.start += chunkSize
	}
}

// read copies the bytes from offset on into dst and returns their number. offset is
// at or after start.
func (r *ring) read(offset uint64, dst []byte) int {
	n := 0
	for n < len(dst) && offset < r.head {
		at := offset - r.start
		m := copy(dst[n:], r.chunks[at/chunkSize][at%chunkSize:])
		n += m
		offset += uint64(m)
	}
	return n
}

// has reports whether everything from offset on is kept.
func (r *ring) has(offset uint64) bool { return offset >= r.start && offset <= r.head }

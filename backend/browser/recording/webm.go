package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"iter"
	"math"
	"time"
)

// webmFrame is one key frame of a video.
type webmFrame struct {
	// At is when it is shown, from the start of the video.
	At time.Duration
	// Data is the frame's VP8 bit stream; see vp8Frame.
	Data []byte
}

// errNoFrame is returned by vp8Frame for data without a VP8 frame, and by writeWebM for a
// video without any frame.
var errNoFrame = errors.New("there is no VP8 frame")

// vp8Frame returns the VP8 frame of a lossy WebP image: such an image is one key frame
// in a container.
func vp8Frame(webp []byte) ([]byte, error) {
	if len(webp) < 12 || string(webp[:4]) != "RIFF" || string(webp[8:12]) != "WEBP" {
		return nil, errNoFrame
	}
	for rest := webp[12:]; len(rest) >= 8; {
		size := int(binary.LittleEndian.Uint32(rest[4:8]))
		if size > len(rest)-8 {
			break
		}
		if string(rest[:4]) == "VP8 " {
			return rest[8 : 8+size], nil
		}
		rest = rest[min(len(rest), 8+size+size%2):]
	}
	return nil, errNoFrame
}

// The ids of the elements, as the Matroska specification writes them.
const (
	idEBML        = 0x1A45DFA3
	idVersion     = 0x4286
	idReadVersion = 0x42F7
	idMaxID       = 0x42F2
	idMaxSize     = 0x42F3
	idDocType     = 0x4282
	idDocVersion  = 0x4287
	idDocRead     = 0x4285
	idSegment     = 0x18538067
	idSeekHead    = 0x114D9B74
	idSeek        = 0x4DBB
	idSeekID      = 0x53AB
	idSeekPlace   = 0x53AC
	idInfo        = 0x1549A966
	idScale       = 0x2AD7B1
	idDuration    = 0x4489
	idMuxer       = 0x4D80
	idWriter      = 0x5741
	idTracks      = 0x1654AE6B
	idTrack       = 0xAE
	idNumber      = 0xD7
	idUID         = 0x73C5
	idType        = 0x83
	idLacing      = 0x9C
	idCodec       = 0x86
	idVideo       = 0xE0
	idWidth       = 0xB0
	idHeight      = 0xBA
	idCluster     = 0x1F43B675
	idTime        = 0xE7
	idBlock       = 0xA3
	idCues        = 0x1C53BB6B
	idCue         = 0xBB
	idCueTime     = 0xB3
	idCuePlaces   = 0xB7
	idCueTrack    = 0xF7
	idCuePlace    = 0xF1
)

// clusterLength is the most that one cluster holds: the times of its frames are 16 bit
// numbers of milliseconds.
const clusterLength = 5 * time.Second

// writeWebM writes a video of a size in pixels and a length. frames come in the order of
// their times. It writes at the end what it knows only then, so it needs a file.
func writeWebM(w io.WriteSeeker, size image.Point, length time.Duration, frames iter.Seq2[webmFrame, error]) error {
	head := ebmlElement(idEBML, ebmlJoin(
		ebmlNumber(idVersion, 1), ebmlNumber(idReadVersion, 1), ebmlNumber(idMaxID, 4), ebmlNumber(idMaxSize, 8),
		ebmlText(idDocType, "webm"), ebmlNumber(idDocVersion, 4), ebmlNumber(idDocRead, 2),
	))
	info := ebmlElement(idInfo, ebmlJoin(
		ebmlNumber(idScale, uint64(time.Millisecond)), ebmlFloat(idDuration, float64(length.Milliseconds())),
		ebmlText(idMuxer, "Pilotfish"), ebmlText(idWriter, "Pilotfish"),
	))
	tracks := ebmlElement(idTracks, ebmlElement(idTrack, ebmlJoin(
		ebmlNumber(idNumber, 1), ebmlNumber(idUID, 1), ebmlNumber(idType, 1), ebmlNumber(idLacing, 0), ebmlText(idCodec, "V_VP8"),
		ebmlElement(idVideo, ebmlJoin(ebmlNumber(idWidth, uint64(size.X)), ebmlNumber(idHeight, uint64(size.Y)))),
	)))
	// The segment's size and the place of the index are filled in at the end; both have
	// a fixed length.
	start := len(head) + 4 + 8 // where the segment's content begins
	if _, err := w.Write(ebmlJoin(head, idBytes(idSegment), make([]byte, 8), seekHead(0), info, tracks)); err != nil {
		return err
	}
	at := len(seekHead(0)) + len(info) + len(tracks)
	var cues []byte
	var cluster []byte
	var began time.Duration
	flush := func() error {
		if cluster == nil {
			return nil
		}
		cues = append(cues, ebmlElement(idCue, ebmlJoin(ebmlNumber(idCueTime, uint64(began.Milliseconds())),
			ebmlElement(idCuePlaces, ebmlJoin(ebmlNumber(idCueTrack, 1), ebmlNumber(idCuePlace, uint64(at))))))...)
		out := ebmlElement(idCluster, cluster)
		cluster = nil
		at += len(out)
		_, err := w.Write(out)
		return err
	}
	for f, err := range frames {
		if err != nil {
			return err
		}
		if cluster == nil || f.At-began >= clusterLength {
			if err := flush(); err != nil {
				return err
			}
			began, cluster = f.At, ebmlNumber(idTime, uint64(f.At.Milliseconds()))
		}
		block := binary.BigEndian.AppendUint16([]byte{0x81}, uint16((f.At - began).Milliseconds()))
		cluster = append(cluster, ebmlElement(idBlock, ebmlJoin(append(block, 0x80), f.Data))...)
	}
	if err := flush(); err != nil {
		return err
	}
	if cues == nil {
		return errNoFrame
	}
	index := ebmlElement(idCues, cues)
	if _, err := w.Write(index); err != nil {
		return err
	}
	for _, late := range []struct {
		at   int
		data []byte
	}{{start - 8, sizeBytes(at + len(index))}, {start, seekHead(at)}} {
		if _, err := w.Seek(int64(late.at), io.SeekStart); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
		if _, err := w.Write(late.data); err != nil {
			return fmt.Errorf("writing the index: %w", err)
		}
	}
	return nil
}

// seekHead says where the index is, from the beginning of the segment's content.
func seekHead(cues int) []byte {
	place := binary.BigEndian.AppendUint64(nil, uint64(cues))
	return ebmlElement(idSeekHead, ebmlElement(idSeek, ebmlJoin(ebmlElement(idSeekID, idBytes(idCues)), ebmlElement(idSeekPlace, place))))
}

// ebmlElement is an element with its content.
func ebmlElement(id uint32, content []byte) []byte {
	return ebmlJoin(idBytes(id), sizeBytes(len(content)), content)
}

// idBytes writes an id: its length is in its first bits.
func idBytes(id uint32) []byte { return bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00") }

// sizeBytes writes a size in eight bytes.
func sizeBytes(size int) []byte {
	return binary.BigEndian.AppendUint64(nil, 1<<56|uint64(size))
}

func ebmlNumber(id uint32, v uint64) []byte {
	b := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, v), "\x00")
	if len(b) == 0 {
		b = []byte{0}
	}
	return ebmlElement(id, b)
}

func ebmlFloat(id uint32, v float64) []byte {
	return ebmlElement(id, binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
}

func ebmlText(id uint32, v string) []byte { return ebmlElement(id, []byte(v)) }

func ebmlJoin(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

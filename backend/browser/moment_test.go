package browser

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"net/http"
	"strconv"
	"testing"

	"pilotfish/backend/protocol"
)

const momentPage = `<!doctype html><meta name=viewport content="width=device-width"><style>
	* { margin: 0; padding: 0; border: 0; } body { background: #fff; }
	input { position: absolute; left: 0; width: 200px; height: 40px; background: #0f0; color: #0f0; }
	iframe { position: absolute; left: 300px; top: 20px; width: 300px; height: 100px; }
</style>
<input style="top:0" value="ada" name=user>
<input style="top:50px" type=password value="hunter2">
<input style="top:100px" type=text autocomplete="current-password" value="hunter2">
<input style="top:150px" type=password value="">
<div id=host></div>
<iframe src="FRAME"></iframe>
<script>
	host.attachShadow({ mode: 'closed' }).innerHTML = '<input name=otp value=123456 style="position:absolute;left:0;top:200px;width:200px;height:40px;background:#0f0;color:#0f0">';
</script>`

const momentFrame = `<!doctype html><style>* { margin: 0; padding: 0; border: 0; } input { position: absolute; left: 10px; top: 10px; width: 200px; height: 40px; background: #0f0; color: #0f0; }</style>
<input value="4111 1111 1111 1111">`

// The screenshot of a moment is small, and shows no value of a secret field: also where
// the field shows its text, in a closed shadow root and in a frame of another site. It
// works for a tab in the background.
func TestMomentCoversSecrets(t *testing.T) {
	inner := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(momentFrame)) }))
	defer inner.Close()
	page := bytes.ReplaceAll([]byte(momentPage), []byte("FRAME"), []byte(inner.URL))
	outer := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) }))
	defer outer.Close()
	f, ctx := headless(t), deadline(t)
	id, err := f.NewTab(ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, id, outer.URL, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	data, err := f.Moment(ctx, id, 60<<10)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Page(ctx, nobody, id)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 640 || len(data) > 60<<10 {
		t.Errorf("%v, %d bytes, of %+v", size, len(data), info)
	}
	wide, err := f.Evaluate(ctx, nobody, id, "innerWidth")
	if err != nil {
		t.Fatal(err)
	}
	width, err := strconv.ParseFloat(string(wide.Value), 64)
	if err != nil {
		t.Fatal(err)
	}
	scale := 640 / width
	lime, cover := color.RGBA{G: 255, A: 255}, color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 255}
	for _, at := range []struct {
		what string
		x, y float64
		want color.RGBA
	}{
		{"a name", 100, 20, lime},
		{"a password", 100, 70, cover},
		{"a password that is shown", 100, 120, cover},
		{"an empty password", 100, 170, lime},
		{"a code in a closed shadow root", 100, 220, cover},
		{"a card number in a frame", 300 + 110, 20 + 30, cover},
	} {
		if x, y := int(at.x*scale), int(at.y*scale); !near(img, x, y, at.want) {
			t.Errorf("%s is %v", at.what, img.At(x, y))
		}
	}
	if _, err := f.Moment(ctx, id, 100); err == nil {
		t.Error("a screenshot of 100 bytes")
	}
	if _, err := f.Moment(ctx, "t99", 60<<10); code(err) != protocol.CodeUnknownTab {
		t.Errorf("of a tab that is not there: %v", err)
	}
}

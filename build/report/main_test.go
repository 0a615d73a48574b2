package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestReportCountsTopLevelTests(t *testing.T) {
	const events = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"b_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"output","Package":"q","Output":"FAIL\tq\t9s\n"}
{"Action":"fail","Package":"q"}
{"ImportPath":"r","Action":"build-output","Output":"r.go:1: undefined: x\n"}
{"ImportPath":"r","Action":"build-fail"}
{"Action":"output","Package":"r","Output":"FAIL\tr [build failed]\n"}
{"Action":"fail","Package":"r","FailedBuild":"r"}
{"Action":"output","Package":"s","Output":"ok  \ts\t0.2s\n"}
{"Action":"pass","Package":"s"}
go: a line of the go command
`
	var out strings.Builder
	got, err := report(strings.NewReader(events), &out)
	if err != nil {
		t.Fatal(err)
	}
	want := counts{passed: 1, failed: 3, skipped: 1, failures: []string{
		"p TestB b_test.go:1: wrong",
		"q TestHangs panic: test timed out",
		"r",
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	for _, line := range []string{"b_test.go:1: wrong", "FAIL\tp\t0.1s", "panic: test timed out", "r.go:1: undefined: x", "ok  \ts\t0.2s", "go: a line of the go command"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not shown:\n%s", line, out.String())
		}
	}
	if strings.Contains(out.String(), "=== RUN TestA") {
		t.Errorf("the output of a passed test is shown:\n%s", out.String())
	}
}

package simweb_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// A crawler under test fetches through the transport, and its findings are compared with the truth.
func Example() {
	noon := time.Date(2025, 7, 4, 12, 0, 0, 0, time.UTC)
	w, err := simweb.New(func() time.Time { return noon }, simweb.Options{Seed: 1, Hosts: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	url := w.Homes()[0]
	client := &http.Client{Transport: w.Transport()}
	res, err := client.Get(url)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()

	truth := w.Sentences(url, noon)
	fmt.Println(url, res.StatusCode, strings.Contains(string(body), truth[0].Text))
	week := w.Changes(url, noon.Add(-7*24*time.Hour), noon)
	fmt.Println(len(week) > 42, week[0].Added != nil) // six articles a day and edits
	// Output:
	// http://news-00.sim.test/ 200 true
	// true true
}

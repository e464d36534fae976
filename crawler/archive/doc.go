// Package archive moves page histories between WARC files and the store.
//
// Import reads responses and revisits as fetches and versions with their own
// times; Export writes them back, with revisit records where a payload was seen
// before, such that every payload comes out byte for byte as it went in. The
// record format itself is crawler/warc.
package archive

// Package webgraph generates the links of a web of any size, for benchmarks: the
// links of each page follow from its number and a seed, so that nothing but the
// sites' bounds is in memory.
//
// A [Graph] has what decides how fast a link measure runs on the real web. Pages of
// a site have neighbouring numbers and sites differ in size by a power law. The
// number of links on a page follows a power law of exponent 2.72, the number of
// links to pages outside the site one of about 2.1 (Broder et al. 2000). Four links
// in five stay within their site, near pages more often than far ones: the distance
// is uniform in its logarithm. Pages that are new come in stretches and singly.
//
// Left out: text, time, and anything that makes novelty scores mean something.
package webgraph

import (
	"math"
	"math/bits"
	"slices"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

// Options describe a graph.
type Options struct {
	Pages        int
	LinksPerPage float64 // mean of distinct links on a page
	Unidentified float64 // share of pages in U, up to 0.9
	L2           float64 // share of the old pages that are in L2
	Seed         uint64
}

// Graph is a generated web. It implements novelty.Chooser, with distinct links, and
// may be read by several goroutines.
type Graph struct {
	opt    Options
	sites  []uint32 // first page of each site, ascending, and the number of pages behind
	least  float64  // of links that a page draws
	ranks  []uint32 // inverse of the distribution of popularity: rank by 16 bits of chance
	stride uint64   // coprime to the number of pages: rank * stride scatters the popular ones
}

const (
	withinSite = 0.8
	smallest   = 8       // pages of a site
	largest    = 200_000 // pages of a site
	mostLinks  = 3000    // on a page
	stretch    = 256     // pages that are new together
	parts      = 256
)

// New lays out the sites, and finds how many links to draw for the wanted mean.
func New(opt Options) *Graph {
	g := &Graph{opt: opt, stride: 2_654_435_761}
	n := uint64(opt.Pages)
	for n > 1 && gcd(g.stride%n, n) != 1 {
		g.stride += 2
	}
	for at, i := uint64(0), uint64(0); at < n; i++ {
		g.sites = append(g.sites, uint32(at))
		at += uint64(min(smallest*math.Pow(chance(mix(opt.Seed+1, i)), -1/0.9), largest))
	}
	g.sites = append(g.sites, uint32(n))
	// In-degrees of exponent 2.1 are Zipf ranks of exponent 1/1.1: rank = n u^11.
	g.ranks = make([]uint32, 1<<16)
	for i := range g.ranks {
		g.ranks[i] = uint32(float64(n-1) * math.Pow((float64(i)+0.5)/float64(len(g.ranks)), 11))
	}
	g.least = opt.LinksPerPage * 0.72 / 1.72
	seen := new(pageSet)
	for range 4 { // duplicates are dropped and degrees are bounded, so it takes more
		var links, pages float64
		for i := range uint64(50_000) {
			site, _ := slices.BinarySearch(g.sites, uint32(mix(opt.Seed+2, i)%n)+1)
			page := uint32(mix(opt.Seed+2, i) % n)
			links += float64(len(g.targets(page, site-1, seen, nil)))
			pages++
		}
		if links > 0 {
			g.least *= min(4, opt.LinksPerPage*pages/links)
		}
	}
	return g
}

// Parts is the number of ranges of pages.
func (g *Graph) Parts() int { return parts }

// Part generates the links of a range of pages.
func (g *Graph) Part(i int, yield func(source uint32, targets []uint32) error) error {
	return g.Choose(i, func(uint32) bool { return true }, yield)
}

// Choose generates the links of those pages of a range that are wanted.
func (g *Graph) Choose(i int, wanted func(source uint32) bool, yield func(source uint32, targets []uint32) error) error {
	first, end := g.opt.Pages*i/parts, g.opt.Pages*(i+1)/parts
	site, found := slices.BinarySearch(g.sites, uint32(first))
	if !found {
		site--
	}
	seen := new(pageSet)
	var buffer []uint32
	for page := uint32(first); page < uint32(end); page++ {
		for g.sites[site+1] <= page {
			site++
		}
		if !wanted(page) {
			continue
		}
		buffer = g.targets(page, site, seen, buffer[:0])
		if err := yield(page, buffer); err != nil {
			return err
		}
	}
	return nil
}

// targets appends the distinct pages that a page links to.
func (g *Graph) targets(page uint32, site int, seen *pageSet, out []uint32) []uint32 {
	seen.clear()
	random := mix(g.opt.Seed, uint64(page))
	n := int(min(g.least*math.Pow(chance(random), -1/1.72), mostLinks))
	first, size := g.sites[site], uint64(g.sites[site+1]-g.sites[site])
	scales := uint64(bits.Len64(size))
	for range n {
		var target uint32
		random = mix(random, 0x9E3779B97F4A7C15)
		if float64(random>>40) < withinSite*(1<<24) {
			// A distance of between 2^s and 2^(s+1) - 1, to either side, round the site.
			s := random & 0xFF * scales >> 8
			distance := (1<<s + (random >> 8 & (1<<s - 1))) % size
			if random>>39&1 == 0 {
				distance = size - distance
			}
			target = first + uint32((uint64(page-first)+distance)%size)
		} else {
			target = uint32((uint64(g.ranks[random&0xFFFF]) + random>>16&0xFF) * g.stride % uint64(g.opt.Pages))
		}
		if seen.add(target) {
			out = append(out, target)
		}
	}
	return out
}

// pageSet is a hash table of the targets of one page, emptied by counting on its age.
type pageSet struct {
	slots [4 * 1024]uint64 // age and page; more than mostLinks
	age   uint64
}

func (s *pageSet) clear() { s.age += 1 << 32 }

// add reports whether the page was not in the set.
func (s *pageSet) add(page uint32) bool {
	want := s.age | uint64(page)
	for at := page * 2_654_435_769 >> 20; ; at = (at + 1) % uint32(len(s.slots)) {
		switch slot := s.slots[at]; {
		case slot == want:
			return false
		case slot < s.age:
			s.slots[at] = want
			return true
		}
	}
}

// Classes gives the class of every page.
func (g *Graph) Classes() []novelty.Class {
	out := make([]novelty.Class, g.opt.Pages)
	// Six in ten pages of U are in stretches of which nine in ten pages are new: new
	// sites and folders.
	fresh := 0.6 * g.opt.Unidentified / 0.9
	rest := max(0, g.opt.Unidentified-0.9*fresh) / (1 - fresh)
	share := rest
	for page := range out {
		if page%stretch == 0 {
			share = rest
			if chance(mix(g.opt.Seed+3, uint64(page/stretch))) < fresh {
				share = 0.9
			}
		}
		u := mix(g.opt.Seed+4, uint64(page))
		switch {
		case chance(u) < share:
			out[page] = novelty.Unidentified
		case chance(mix(u, 1)) < g.opt.L2:
			out[page] = novelty.L2
		default:
			out[page] = novelty.Old
		}
	}
	return out
}

// mix makes an even number of two (the finalizer of splitmix64).
func mix(a, b uint64) uint64 {
	z := a + b*0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// chance makes a number from above 0 to 1.
func chance(u uint64) float64 { return (float64(u>>11) + 1) / (1 << 53) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// freeMemory gives the bytes that programs can still take on this machine, 0 where
// the system does not say.
func freeMemory() uint64 { return kernelFigure("/proc/meminfo", "MemAvailable:") }

// peakMemory gives the most bytes that this process has had in memory, 0 where the
// system does not say.
func peakMemory() uint64 { return kernelFigure("/proc/self/status", "VmHWM:") }

// kernelFigure reads a line such as "MemAvailable:  23456 kB".
func kernelFigure(file, name string) uint64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) == 3 && fields[0] == name && fields[2] == "kB" {
			kb, _ := strconv.ParseUint(fields[1], 10, 53)
			return kb << 10
		}
	}
	return 0
}

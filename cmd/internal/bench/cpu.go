package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// CPU is the processor time of a process.
type CPU struct{ proc string }

// Processes reads the processor time of processes from a mounted proc(5).
func Processes() CPU { return CPU{"/proc"} }

// clockTick is the unit of the times in /proc/PID/stat. Linux has fixed it at a
// hundredth of a second for all programs outside the kernel.
const clockTick = 10 * time.Millisecond

// stat is what is used of /proc/PID/stat.
type stat struct {
	parent   int
	own      time.Duration // user and system time of all threads
	children time.Duration // of children that ended and were waited for
}

// Process returns the processor time of one process, without its children.
func (c CPU) Process(pid int) (time.Duration, error) {
	s, err := c.stat(pid)
	return s.own, err
}

// Family returns the processor time of a process and its children, also of those
// that have ended, as of a PostgreSQL server and its backends.
func (c CPU) Family(pid int) (time.Duration, error) {
	s, err := c.stat(pid)
	if err != nil {
		return 0, err
	}
	sum := s.own + s.children
	others, err := filepath.Glob(filepath.Join(c.proc, "[0-9]*"))
	if err != nil {
		return 0, err
	}
	for _, dir := range others {
		other, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		// A process that ends in between is counted with its parent next time.
		if s, err := c.stat(other); err == nil && s.parent == pid {
			sum += s.own + s.children
		}
	}
	return sum, nil
}

// Parent returns the parent of a process.
func (c CPU) Parent(pid int) (int, error) {
	s, err := c.stat(pid)
	return s.parent, err
}

// Machine returns the time that all processors of the machine have been idle, waiting for a disk
// included, and the time that has passed on them.
func (c CPU) Machine() (idle, all time.Duration, err error) {
	b, err := os.ReadFile(filepath.Join(c.proc, "stat"))
	if err != nil {
		return 0, 0, fmt.Errorf("processor time: %w", err)
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line) // cpu user nice system idle iowait irq softirq steal ...
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return 0, 0, fmt.Errorf("processor time: %q is not as expected", line)
	}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("processor time: %w", err)
		}
		all += time.Duration(n) * clockTick
		if i == 3 || i == 4 {
			idle += time.Duration(n) * clockTick
		}
	}
	return idle, all, nil
}

// stat reads /proc/PID/stat: "PID (name) state ppid ...", fields 14 to 17 being
// utime, stime, cutime and cstime. The name may hold anything, even parentheses.
func (c CPU) stat(pid int) (stat, error) {
	b, err := os.ReadFile(filepath.Join(c.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}, fmt.Errorf("processor time: %w", err)
	}
	_, rest, ok := bytes.Cut(b[max(0, bytes.LastIndexByte(b, ')')):], []byte(")"))
	fields := bytes.Fields(rest) // from the state, which is field 3
	if !ok || len(fields) < 15 {
		return stat{}, fmt.Errorf("processor time of process %d: %q is not as expected", pid, b)
	}
	var n [5]int64
	for i, at := range [...]int{1, 11, 12, 13, 14} {
		if n[i], err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil {
			return stat{}, fmt.Errorf("processor time of process %d: %w", pid, err)
		}
	}
	return stat{parent: int(n[0]), own: time.Duration(n[1]+n[2]) * clockTick, children: time.Duration(n[3]+n[4]) * clockTick}, nil
}

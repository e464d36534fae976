// Package bench holds what the command bench measures with: a [Web] that serves
// pages rendered beforehand, so that the server costs as little as a server can
// beside what is measured, and the processor time of processes ([CPU]).
//
// The pages are those of crawler/simweb. A Web has them in rounds: in each round
// every page differs from the round before by what changed on it in some hours,
// and by its advertisement and counter. Which round is served is switched from
// outside, so that a crawler that comes back finds everything changed, or nothing.
//
// Left out: what is measured, and how it is printed, which are the commands.
package bench

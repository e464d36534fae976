package main

import "context"

type benchScheduleCmd struct{}

func (c *benchScheduleCmd) Run(ctx context.Context, a *app) error { return nil }

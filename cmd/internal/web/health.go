package web

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"time"
)

func (s *Server) healthRoutes() []route {
	return []route{
		{"GET /healthz", s.healthz, nobody, true},
		{"GET /readyz", s.readyz, nobody, true},
		{"GET /version", s.versionz, nobody, true},
	}
}

// healthz says that the process answers.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, map[string]any{"status": "ok"})
}

// readyz says whether the program does its work, and if not, why.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	reasons := []string{}
	if err := s.db.Ping(ctx); err != nil {
		s.log.Debug("not ready", "error", err)
		reasons = append(reasons, "the database does not answer")
	}
	if s.ready != nil {
		reasons = append(reasons, s.ready(ctx)...)
	}
	if len(reasons) > 0 {
		return reply(w, http.StatusServiceUnavailable, map[string]any{"status": "not ready", "reasons": reasons})
	}
	return reply(w, http.StatusOK, map[string]any{"status": "ready"})
}

// versionz tells which program this is.
func (s *Server) versionz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, map[string]any{"version": s.version, "go": runtime.Version()})
}

// reply writes one JSON document.
func reply(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the reader is gone when this fails
	return nil
}

package web

import "net/http"

// metricsRoutes are what Prometheus scrapes. The figures tell how much is watched, so
// they want a reader's right; a scraper gives the token as a bearer token.
func (s *Server) metricsRoutes() []route {
	if s.metrics == nil {
		return nil
	}
	return []route{{"GET /metrics", s.scrape, viewer, true}}
}

func (s *Server) scrape(w http.ResponseWriter, r *http.Request) error {
	s.metrics.ServeHTTP(w, r)
	return nil
}

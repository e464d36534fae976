-- Does a word spread by new pages or by old pages that take it up?
select snapshot, at, old_new_keyword, novel, uncertain, captured
from api_v1.keyword_novelty('web', 'the')
order by snapshot;

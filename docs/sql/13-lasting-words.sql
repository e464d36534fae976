-- Which words set a government page apart and last?
-- Words of high staying power and divergence say what a page is about, not what it says today.
select url, term, round(staying_power::numeric, 2) as staying_power, round(divergence::numeric, 4) as divergence
from (
    select t.*, row_number() over (partition by t.bucket, t.page_id order by t.divergence desc, t.term) as place
    from api_v1.term t
    join (select p.bucket, p.page_id from api_v1.page p where p.category = 'Government' order by p.host, p.url limit 200) g using (bucket, page_id)
    where t.staying_power >= 0.8 and t.divergence > 0
) ranked
where place <= 3
order by url, place;

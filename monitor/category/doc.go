// Package category puts pages into categories by their words, as learned from pages
// whose category is known (SCIENCE A11).
//
// Train makes a Model: for each category the centroid of its pages as vectors of
// words weighted by their rarity. Model.Classify gives the category whose centroid a
// page is most similar to, and by how much more than to the next. CrossValidate says
// how often that is right for pages of sites that were not learned from, which is
// what a page of a new site may expect.
//
// Words count within their language, so that a page is not put into a category for
// the language that most of its pages are in; a page in a language of which no
// labelled page is gets no category.
//
// Left out: where pages and labels come from, and trees of categories.
package category

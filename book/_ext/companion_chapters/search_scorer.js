// How the search of the book ranks what it finds: pages that were written to be read first, pages of the API after them.
// Sphinx puts this file in front of its own search; the numbers are its defaults but for score().
var Scorer = {
  score: ([docname, , , , score]) => (docname.startsWith("book/api/") ? score - 1000 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

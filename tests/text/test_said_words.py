"""Words that people say stand for those of the documents, and not the other way round."""

from core.text.language import terms
from core.text.synonyms import Synonyms


def test_what_people_say_widens_to_what_documents_say_and_not_back():
    known = Synonyms([], "en", [["voucher", "coupon"]])
    voucher, coupon = terms("voucher", "en"), terms("coupon", "en")
    assert known.synonyms_for(voucher) == {voucher[0]: (coupon,)}
    assert known.synonyms_for(coupon) == {}

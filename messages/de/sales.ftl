### Preise, Angebote und Gutscheine.

## Preise auf den Seiten des Stores

sale-percent = −{ $percent } %
price-before = Preis vorher:
sale-ends = Angebot endet am { $date }
sale-lowest = Niedrigster Preis der 30 Tage davor: { $price }
pay-what-you-want = Du entscheidest, was du zahlst, ab { $min }.
pay-what-you-want-suggested = Du entscheidest, was du zahlst, ab { $min }. Vorschlag des Entwicklers: { $suggested }.
currency = Währung
currency-choose = Preise anzeigen
filter-sale = Angebote
on-sale-now = Jetzt im Angebot
filter-max-price = Höchster Preis
max-price = Bis { $price }

## Das Dashboard

sections-sales = Verkauf
section-sales = Preise und Angebote
prices-title = Preise
prices-text = Der Preis in US-Dollar steht in den Einstellungen des Projekts und seiner Editionen. Hier fügst du Preise in anderen Währungen hinzu; Besucher wählen, welchen sie sehen.
prices-other = Preise in anderen Währungen
prices-other-hint = Einer pro Zeile, zum Beispiel EUR 9,99. Währungen: { $codes }.
prices-save = Preise speichern
prices-saved = Preise gespeichert
pay-what-you-want-label = Käufer entscheiden, was sie zahlen
pay-what-you-want-hint = Der Preis ist das Mindeste.
price-suggested = Vorgeschlagener Preis in US-Dollar
sale-list = Angebote
sale-text = Ein Angebot senkt den Preis für eine Zeit. Die Seite zeigt auch den niedrigsten Preis der 30 Tage davor, wie es das EU-Recht verlangt.
sale-none = Noch keine Angebote
sale-none-text = Füge unten eines hinzu. Es beginnt und endet von selbst.
sale-reduction = Nachlass
sale-from = Von
sale-to = Bis
sale-action = Aktion
sale-amount-off = { $amount } weniger
sale-every-edition = Jede Edition
sale-running = Läuft
sale-planned = Geplant
sale-ended = Beendet
sale-end = Beenden
sale-end-text = Der Preis ist sofort wieder der normale. Ein Angebot, das noch nicht begonnen hat, wird gelöscht.
sale-is-ended = Angebot beendet
sale-new = Neues Angebot
sale-percent-label = Nachlass in Prozent
sale-amount-label = Nachlass in US-Dollar
sale-amount-hint = Statt Prozent. Preise in anderen Währungen sinken um denselben Anteil.
sale-event = Aktion des Stores
sale-event-hint = Sie bestimmt, wann das Angebot läuft.
sale-own = Keine, ein eigenes Angebot
sale-starts-label = Beginn (UTC)
sale-starts-hint = Ohne Angabe beginnt es sofort.
sale-ends-label = Ende (UTC)
sale-ends-hint = Höchstens { $days } Tage nach dem Beginn.
sale-add = Angebot hinzufügen
sale-added = Angebot hinzugefügt
sale-needs-price = Lege in den Einstellungen einen Preis fest, bevor du ein Angebot planst.

## Aktionen des Stores, für Betreiber

console-sale-events = Aktionen
sale-events-text = Eine Aktion des ganzen Stores hat einen Namen und einen Zeitraum. Entwickler nehmen mit ihren Einträgen und einem eigenen Nachlass daran teil.
sale-event-none = Keine Aktion geplant
sale-event-none-text = Plane eine, und Entwickler können sofort teilnehmen.
sale-event-name = Name
sale-event-listings = Einträge
sale-event-add = Aktion planen
sale-event-added = Aktion geplant
sale-event-end-text = Die Angebote aller Einträge, die teilnehmen, enden damit.

## Ablehnungen

refusal-invalid-offer = Die Preise sind nicht gültig.
refusal-invalid-sale = Das Angebot ist nicht gültig.
refusal-currency-not-offered = Dieser Eintrag hat keinen Preis in dieser Währung. Wähle eine andere.
refusal-amount-too-low = Der Betrag ist niedriger als der Preis.
refusal-invalid-coupon = Der Gutschein ist nicht gültig.
refusal-coupon-not-valid = Dieser Gutschein gilt nicht für diese Bestellung.
rule-amount = Zahle { $min } oder mehr.
rule-amount-fixed = Das kostet { $price }. Zahle genau diesen Preis.
rule-price-in = Gib einen Preis in { $currency } von { $min } bis { $max } ein.
rule-currency = Schreibe einen Preis pro Zeile mit einer Währung der Liste, jede nur einmal und nicht USD.
rule-price-needed = Lege zuerst einen Preis in US-Dollar fest.
rule-percent-or-amount = Gib entweder Prozent oder einen Betrag ein.
rule-sale-amount = Gib einen Betrag bis { $max } ein.
rule-sale-below-minimum = Mit diesem Nachlass kostet es weniger als { $min }, den kleinsten Betrag, der bezahlt werden kann. Nimm weniger Nachlass.
rule-sale-times = Ein Angebot endet nach seinem Beginn, innerhalb von { $days } Tagen.
rule-sale-past = Wähle einen Zeitpunkt in der Zukunft.
rule-sale-ahead = Wähle einen Beginn innerhalb von { $days } Tagen.
rule-sale-event-ended = Diese Aktion des Stores ist vorbei. Wähle eine andere.
rule-sales = Ein Eintrag hat höchstens { $count } Angebote, die noch nicht beendet sind. Beende zuerst eines.

## Gutscheine

section-coupons = Gutscheine
coupon-list = Gutscheine
coupon-text = Käufer geben einen Gutschein bei der Bestellung ein. Er senkt den Preis, auch während eines Angebots.
coupon-none = Noch keine Gutscheine
coupon-none-text = Erstelle unten einen und gib den Code weiter.
coupon-new = Neuer Gutschein
coupon-code = Code
coupon-code-hint = 4 bis 32 Buchstaben, Ziffern und Bindestriche, groß oder klein.
coupon-amount-hint = Statt Prozent.
coupon-uses = Benutzt
coupon-used-of = { $uses } von { $max }
coupon-listings = Einträge
coupon-max-uses = Wie oft insgesamt
coupon-per-person = Wie oft pro Person
coupon-games = Weitere Einträge
coupon-games-hint = Adressen deiner anderen Einträge, für die er gilt, eine pro Zeile.
coupon-add = Gutschein erstellen
coupon-added = Gutschein erstellt
coupon-end-text = Niemand kann ihn mehr benutzen. Bestellungen damit bleiben, wie sie sind.
coupon-ended = Gutschein beendet
rule-coupon-code = Nimm 4 bis { $max } Buchstaben, Ziffern und Bindestriche.
rule-coupon-taken = Dieses Projekt hat schon einen Gutschein { $code }. Wähle einen anderen Code.
rule-coupon-times = Ein Gutschein endet nach seinem Beginn, in der Zukunft.
rule-coupon-listing = Gib Adressen deiner eigenen Einträge ein.
rule-coupons = Ein Projekt hat höchstens { $count } Gutscheine.
rule-coupon-unknown = Für diesen Eintrag gibt es keinen solchen Gutschein.
rule-coupon-not-started = Dieser Gutschein gilt noch nicht.
rule-coupon-ended = Dieser Gutschein gilt nicht mehr.
rule-coupon-used-up = Dieser Gutschein wurde so oft benutzt, wie es geht.
rule-coupon-used-by-you = Du hast diesen Gutschein so oft benutzt, wie es geht.

## Schlüssel

section-keys = Schlüssel
keys-batches = Serien
keys-text = Ein Schlüssel gibt dem, der ihn auf der Seite „Schlüssel einlösen“ eingibt, ein Exemplar. Der Store speichert nur Prüfsummen der Schlüssel.
keys-none = Noch keine Schlüssel
keys-none-text = Erstelle unten eine Serie, zum Beispiel für die Presse oder für Unterstützer.
keys-new = Neue Serie
keys-label = Bezeichnung
keys-label-hint = Für dich, zum Beispiel wer die Schlüssel bekommt.
keys-size = Anzahl
keys-no-edition = Keine Edition
keys-expires-label = Gültig bis (UTC)
keys-make = Schlüssel erstellen
keys-made = Das sind deine neuen Schlüssel. Sie werden nur jetzt gezeigt; speichere sie.
keys-download = Als CSV speichern
keys-new-list = Neue Schlüssel
keys-redeemed = Eingelöst
keys-created = Erstellt
keys-expires = Gültig bis
keys-open = Gültig
keys-expired = Abgelaufen
keys-revoked = Widerrufen
keys-revoke = Widerrufen
keys-revoke-text = Schlüssel dieser Serie, die noch nicht eingelöst sind, gelten nicht mehr. Exemplare, die jemand hat, bleiben.
keys-are-revoked = Schlüssel widerrufen
keys-owner-only = Nur der Besitzer des Projekts erstellt Schlüssel.
redeem-title = Schlüssel einlösen
redeem-text = Mit einem Schlüssel eines Entwicklers bekommst du ein Exemplar in deine Bibliothek.
redeem-key = Schlüssel
redeem-key-hint = 20 Buchstaben und Ziffern. Bindestriche und Großschreibung sind egal.
redeem-submit = Einlösen
redeem-done = { $name } ist in deiner Bibliothek
copy-redeemed = Durch einen Schlüssel seit { $date }
copy-remove-text-key = { $name } verlässt deine Bibliothek, mit deiner Rezension und deinen Tags. Der Schlüssel kann nicht noch einmal eingelöst werden.
refusal-invalid-key-batch = Die Serie ist nicht gültig.
refusal-key-not-valid = Dieser Schlüssel kann nicht eingelöst werden.
rule-key-mistyped = Das ist kein Schlüssel. Prüfe ihn auf Tippfehler.
rule-key-unknown = Diesen Schlüssel gibt es nicht.
rule-key-redeemed = Dieser Schlüssel wurde schon eingelöst.
rule-key-revoked = Dieser Schlüssel wurde widerrufen. Wende dich an den, von dem du ihn hast.
rule-key-expired = Dieser Schlüssel ist abgelaufen. Wende dich an den, von dem du ihn hast.
rule-key-owned = Das hast du schon. Der Schlüssel gilt weiter für jemand anderen.
rule-key-expiry = Wähle einen Zeitpunkt in der Zukunft.
rule-key-batches = Ein Eintrag hat höchstens { $count } Serien von Schlüsseln.

## Anfragen nach Schlüsseln

key-requests = Anfragen von Presse und Creators
key-requests-text = Solange das an ist, hat die Presseseite ein Formular, mit dem Presse und Creators nach einem Exemplar fragen. Du entscheidest über jede Anfrage.
key-requests-open = Anfragen sind möglich
key-requests-closed = Aus
key-requests-allow = Anfragen erlauben
key-requests-close = Anfragen beenden
key-requests-are-open = Anfragen sind jetzt möglich
key-requests-are-closed = Anfragen sind nicht mehr möglich
key-request-column-person = Person
key-request-column-kind = Arbeit
key-request-column-outlet = Medium
key-request-column-state = Status
key-request-column-action = Aktion
key-request-press = Presse
key-request-creator = Creator
key-request-waiting = Wartet
key-request-approved = Bewilligt
key-request-declined = Abgelehnt
key-request-approve = Exemplar geben
key-request-decline = Ablehnen
key-request-is-approved = Das Exemplar ist in der Bibliothek der Person
key-request-is-declined = Anfrage abgelehnt
key-request-title = Nach einem Exemplar von { $name } fragen
key-request-ask = Als Presse oder Creator nach einem Exemplar fragen
key-request-outlet = Medium oder Kanal
key-request-url = Adresse davon
key-request-message = Nachricht an den Entwickler
key-request-send = Anfrage senden
key-request-sent = Anfrage gesendet. Du bekommst eine E-Mail, wenn der Entwickler entscheidet.
refusal-key-requests-closed = Der Entwickler nimmt keine Anfragen an.
refusal-invalid-key-request = Die Anfrage ist nicht gültig.
rule-key-requested = Du hast schon nach einem Exemplar gefragt.
mail-key-request-approved-subject = Dein Exemplar von { $game } bei { $store }
mail-key-request-declined-subject = Deine Anfrage nach { $game } bei { $store }
mail-key-request-approved = Der Entwickler von { $game } hat dir ein Exemplar gegeben. Es ist in deiner Bibliothek bei { $store }.
mail-key-request-open = Lade es hier herunter: { $url }
mail-key-request-declined = Der Entwickler von { $game } hat deine Anfrage nach einem Exemplar bei { $store } abgelehnt.

## Statistik

download-key = Eingelöste Schlüssel

## Umsatzberichte

section-revenue = Umsatz
console-sales-report = Umsatz
revenue-totals = Summen
revenue-totals-text = Nach Währung; der Store rechnet nie um. Erstattungen und Rückbuchungen sind von deinem Anteil abgezogen.
revenue-over-time = Bestellungen im Verlauf
revenue-editions = Nach Edition
revenue-reductions = Nach Nachlass
revenue-full-price = Voller Preis
revenue-sale = Angebot
revenue-coupon = Gutschein
revenue-orders = Bestellungen
revenue-gross = Bezahlt
revenue-refunded = Erstattet
revenue-disputed = Zurückgeholt
revenue-tax = Enthaltene Steuer
revenue-fee = Gebühr des Stores
revenue-processing = Zahlungskosten
revenue-net = Für den Verkäufer
revenue-none = In dieser Zeit nichts verkauft
revenue-none-text = Bestellungen stehen hier, sobald sie bezahlt sind.
revenue-orders-csv = Alle Bestellungen als CSV
revenue-disputes = Rückbuchungen
revenue-no-disputes = Keine Bestellung ist strittig.
revenue-title = Bestellung
revenue-seller = Verkäufer
revenue-paid-on = Bezahlt am
revenue-tax-report = Steuerbericht
revenue-tax-csv = { $year } als CSV:
discovery-search = Suche
discovery-home = Startseite und Regale
discovery-tag = Schlagwort
discovery-developer = Seite des Entwicklers
discovery-listing = Seite eines anderen Eintrags
discovery-external = Andere Websites
discovery-direct = Direkt
discovery-other = Andere Seiten des Stores
discovery-app = Apps und Agenten
discovery-unknown = Nicht erfasst
revenue-breakdown = Bestellungen nach
revenue-countries = Nach Land
revenue-country = Land
revenue-countries-text = Wie der Zahlungsanbieter es meldet. Überweisungen haben kein Land.
revenue-discovery = Nach Herkunft
revenue-came-from = Gekommen über
revenue-discovery-text = Wie Käufer auf deine Seite kamen. Eine Bestellung merkt sich nur das, nichts über die Person.
revenue-sellers = Nach Verkäufer
revenue-store-text = Was der Store verkauft hat, nach Währung. Der Store rechnet nie um.
revenue-tax-text = Nach Zeitraum, Verkäufer, Land und Währung. Eine Erstattung zählt im Zeitraum ihrer Zahlung.
revenue-by-month = Monate
revenue-by-quarter = Quartale
revenue-by-year = Ganzes Jahr

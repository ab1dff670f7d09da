# Käufe: Bestellungen, Erstattungen, die Einrichtung von Verkäufern.

## Mails

mail-receipt-subject = Dein Beleg für { $game } von { $store }
mail-receipt = Danke, dass du { $game } gekauft hast. Du hast { $total } bezahlt, und es ist in deiner Bibliothek.
mail-receipt-gift = Danke, dass du { $game } gekauft hast. Du hast { $total } bezahlt. Die beschenkte Person bekommt eine Mail mit einem Link, über den sie das Geschenk annehmen kann.
mail-receipt-goes-back = Du hast { $total } für { $game } bezahlt. Diese Zahlung gibt dir nichts Neues, deshalb geht alles auf dem Weg zurück, auf dem du bezahlt hast.
mail-receipt-lines = Netto { $net }, Steuer { $tax }, gesamt { $total }.
# Variables: $seller (String): name, address and tax number of the developer.
mail-receipt-seller = Verkauft von { $seller }
mail-receipt-open = Deine Bestellung: { $url }
mail-sale-subject = Du hast { $game } auf { $store } verkauft
mail-sale = Jemand hat { $game } für { $total } gekauft, davon { $tax } Steuer und { $fee } Gebühr des Stores.
mail-sale-open = Deine Verkäufe: { $url }
mail-refund-subject = Deine Erstattung für { $game } von { $store }
mail-refund = { $amount } deiner Zahlung für { $game } gehen auf dem Weg zurück, auf dem du bezahlt hast. Das kann einige Tage dauern.
mail-refund-copy = Das Spiel wurde aus deiner Bibliothek entfernt.
mail-refund-gift = Das Geschenk wurde zurückgenommen.
mail-refund-kept = Du hast weiterhin ein Exemplar in deiner Bibliothek.
mail-refund-second = Du hattest es schon gekauft, deshalb geht diese zweite Zahlung zurück. Dein Exemplar bleibt in deiner Bibliothek.
mail-refund-unavailable = Es ist nicht mehr im Store, deshalb bekommst du dein Geld zurück.
mail-refund-second-gift = Du hattest es derselben Person schon geschenkt, deshalb geht diese zweite Zahlung zurück. Am ersten Geschenk ändert sich nichts.
mail-refund-message = Die Nachricht an dich:
mail-refund-by-hand-subject = Bitte zurücküberweisen: { $game } auf { $store }
mail-refund-by-hand = { $amount } für { $game } gehen an den Käufer zurück. Die Bestellung wurde per Überweisung bezahlt, der Store kann das Geld also nicht selbst senden: Überweise es von Hand und trag es auf der Seite der Bestellung ein.
mail-refund-by-hand-open = Die Bestellung: { $url }
mail-refund-request-subject = Ein Käufer von { $game } auf { $store } bittet um Erstattung
mail-refund-request = Der Käufer hat { $total } für { $game } bezahlt und bittet um Rückzahlung von { $amount }:
mail-refund-declined-subject = Keine Erstattung für { $game } auf { $store }
mail-refund-declined = Der Entwickler von { $game } hat deine Bitte um Erstattung abgelehnt.
mail-refund-failed-subject = Eine Erstattung für { $game } auf { $store } ist fehlgeschlagen
mail-refund-failed = Der Zahlungsanbieter hat die Erstattung für { $game } nicht gesendet. Die Betreiber des Stores wissen es und melden sich bei dir. Der Anbieter sagt:
mail-refund-failed-buyer = Die Erstattung für { $game } ist fehlgeschlagen, es wurde kein Geld gesendet.
mail-refund-failed-closed = Die Karte oder das Konto, womit du bezahlt hast, nimmt kein Geld mehr an. Die Betreiber des Stores wissen es und melden sich bei dir.
mail-refund-failed-not-sent = Der Zahlungsanbieter hat das Geld nicht gesendet. Die Betreiber des Stores wissen es und melden sich bei dir.
mail-refund-failed-open = Die Bestellung: { $url }
mail-operator-refund-failed = Der Zahlungsanbieter hat die Erstattung der Bestellung { $order } ({ $game }) nicht gesendet. Sprich mit dem Käufer und erstatte noch einmal, oder sende das Geld auf anderem Weg. Der Anbieter sagt:
mail-operator-request-subject = Ein Käufer von { $game } auf { $store } bittet um Erstattung, und der Entwickler ist nicht mehr da
mail-operator-request = Der Käufer hat { $total } für { $game } bezahlt und bittet um Rückzahlung von { $amount }. Der Entwickler hat kein Konto mehr, darum entscheidest du:
mail-operator-orders = Bestellungen, die einen Betreiber brauchen: { $url }
mail-dispute-subject = Eine Zahlung für { $game } auf { $store } ist umstritten
mail-dispute = Die Bank eines Käufers hat { $total } für { $game } zurückgeholt. Antworte darauf beim Zahlungsanbieter; das Exemplar wurde zurückgenommen.
mail-gift-subject = Du hast ein Geschenk auf { $store }
# Variables: $giver (String): the username of the buyer.
mail-gift = { $giver } hat dir auf { $store } { $game } gekauft.
mail-gift-adult = { $giver } hat dir auf { $store } ein Spiel mit Inhalten für Erwachsene gekauft.
mail-gift-somebody = Jemand hat dir auf { $store } ein Geschenk gekauft.
mail-gift-open = Nimm das Geschenk an oder lehne es ab: { $url }
mail-gift-unwanted = Das Geschenk wartet, bis du dich entscheidest. Wenn du es nicht willst, lehne es ab oder ignoriere diese Mail.
mail-gift-accepted-subject = Dein Geschenk { $game } auf { $store } wurde angenommen
mail-gift-accepted = { $receiver } hat dein Geschenk angenommen: { $game }.
mail-gift-declined-subject = Dein Geschenk { $game } auf { $store } wurde abgelehnt
mail-gift-declined = { $receiver } hat dein Geschenk abgelehnt: { $game }. Du kannst es auf der Seite deiner Bestellung zurückgeben und bekommst dein Geld zurück.
mail-gift-taken-subject = Dein Geschenk { $game } auf { $store } wurde zurückgenommen
mail-gift-taken = Die Zahlung für { $game }, das du geschenkt bekommen hast, ging an den Käufer zurück. Das Spiel wurde aus deiner Bibliothek entfernt.
mail-gift-library = Deine Bibliothek: { $url }

## Refusals

refusal-payments-closed = Kaufen ist hier noch nicht möglich.
refusal-payment-account-required = Richte in deinen Einstellungen Zahlungen ein, bevor ein Eintrag mit Preis öffentlich wird.
refusal-refund-not-possible = Diese Bestellung kann nicht erstattet werden.
refusal-invalid-signature = Die Signatur fehlt, ist falsch oder zu alt.
rule-copy-exists = Du hast das schon. Es ist in deiner Bibliothek.
rule-listing-is-free = Das ist kostenlos. Füge es stattdessen deiner Bibliothek hinzu.
rule-seller-not-ready = Kaufen ist hier noch nicht möglich.
rule-seller-is-buyer = Das ist dein eigener Eintrag.
rule-below-minimum = Mit diesem Gutschein ist der Preis kleiner, als hier bezahlt werden kann. Kauf ohne den Gutschein.
rule-price-below-minimum = Dieser Preis ist kleiner, als mit Karte bezahlt werden kann. Bitte den Entwickler, ihn zu ändern.
rule-not-settled-by-hand = Nur eine offene Bestellung, die per Überweisung bezahlt wird, wird bestätigt.
rule-refund-pending = Eine Erstattung dieser Bestellung ist unterwegs oder wartet auf eine Antwort.
rule-refund-too-large = Das ist mehr, als von dieser Bestellung übrig ist.
rule-order-not-paid = Nur eine bezahlte Bestellung kann erstattet werden.
refusal-gift-not-possible = Dieses Geschenk ist nicht möglich.
refusal-gift-not-waiting = Dieses Geschenk kann nicht angenommen oder abgelehnt werden.
rule-receiver-has-copy = Diese Person hat das schon. Such etwas anderes aus.
rule-gift-to-self = Das bist du. Kauf es, ohne jemanden zu nennen.
rule-gift-given = Du hast dieser Person das schon geschenkt. Such etwas anderes oder jemand anderen aus.
rule-gift-copy-exists = Du hast das schon. Lehne das Geschenk ab, damit der Käufer es zurückgeben kann.
rule-gift-adult = Das hat Inhalte für Erwachsene. Schalte sie zuerst in deinen Einstellungen ein.
rule-gift-unpaid = Dieses Geschenk ist noch nicht bezahlt. Versuch es später noch einmal.
rule-gift-accepted = Dieses Geschenk wurde angenommen.
rule-gift-declined = Dieses Geschenk wurde abgelehnt. Der Käufer kann sein Geld zurückbekommen.
rule-gift-returned = Der Käufer hat dieses Geschenk zurückgenommen.
rule-gift-unavailable = Dieses Spiel ist nicht mehr im Store, deshalb kann das Geschenk nicht angenommen werden. Der Käufer kann sein Geld zurückbekommen.

## Buying

buy = Kaufen
# Variables: $currency (String): eine Währung, etwa USD.
buy-amount = Dein Preis in { $currency }
buy-amount-wrong = Gib einen Betrag in { $currency } in Ziffern ein, etwa 5 oder 7,50.
buy-coupon = Gutschein einlösen
buy-coupon-code = Gutscheincode
buy-gift = Das ist ein Geschenk
buy-as-gift = Als Geschenk kaufen
buy-gift-to = Benutzername oder Mailadresse der beschenkten Person
buy-gift-hint = Sie bekommt eine Mail mit einem Link und, sobald sie das Geschenk annimmt, das Spiel.
buy-gift-submit = Geschenk kaufen
# Variables: $name (String): the name of an edition.
buy-edition = <hidden>{ $name } </hidden>kaufen
orders = Bestellungen
orders-none = Du hast noch nichts gekauft.
order-item = Artikel
order-date = Datum
order-state = Stand
order-number = Bestellnummer
order-seller = Verkäufer
order-net = Netto
order-tax = Enthaltene Steuer
order-total = Gesamt
order-refunded-sum = Erstattet
order-open = Wartet auf Zahlung
order-paid = Bezahlt
order-refunded = Erstattet
order-disputed = Umstritten
order-expired = Abgelaufen
# Variables: $total (String): a sum with its currency.
order-pay = { $total } bezahlen
order-waits = Du bezahlst auf einer Seite des Zahlungsanbieters. Diese Seite bemerkt die Zahlung von selbst; das kann eine Minute dauern.
# Variables: $number (String): the number of the order.
order-transfer = Überweise den Gesamtbetrag und nenne die Bestellnummer { $number }:
order-transfer-wait = Der Store bestätigt die Überweisung, sobald sie da ist. Dann bekommst du einen Beleg per Mail.
order-free-waits = Du musst nichts bezahlen. Deine Bestellung wird abgeschlossen; diese Seite bemerkt es von selbst.
order-to-library = Zu deiner Bibliothek
order-invoice = Rechnung
order-again = Zurück zum Eintrag
order-refunded-text = Das Geld geht auf dem Weg zurück, auf dem du bezahlt hast. Dein Exemplar wurde aus der Bibliothek entfernt.
order-refunded-kept = Das Geld geht auf dem Weg zurück, auf dem du bezahlt hast. Du hast weiterhin ein Exemplar in deiner Bibliothek.
order-refunded-second = Du hattest das schon gekauft, deshalb geht diese zweite Zahlung auf dem Weg zurück, auf dem du bezahlt hast. Dein Exemplar bleibt in deiner Bibliothek.
order-refunded-unavailable = Das ist nicht mehr im Store, deshalb geht das Geld auf dem Weg zurück, auf dem du bezahlt hast.
order-disputed-text = Deine Bank hat die Zahlung zurückgeholt, deshalb wurde dein Exemplar aus der Bibliothek entfernt.
order-disputed-kept = Deine Bank hat die Zahlung zurückgeholt. Du hast weiterhin ein anderes Exemplar in deiner Bibliothek.
invoice-title = Rechnung { $number }
invoice-tax-id = Steuernummer { $number }
invoice-print = Drucke diese Seite oder speichere sie als PDF.
invoice-unpaid = Es gibt noch keine Rechnung. Du bekommst sie, sobald die Bestellung bezahlt ist.

## Gifts

gift-for = Geschenk für
gift-state = Geschenk
gift-deleted-account = Ein gelöschtes Konto
gift-unpaid = Noch nicht bezahlt
gift-waiting = Wartet auf Annahme
gift-accepted = Angenommen
gift-declined = Abgelehnt
gift-returned = Zurückgenommen
# Variables: $receiver (String): a username or mail address.
gift-waiting-text = { $receiver } hat eine Mail mit einem Link bekommen und kann das Geschenk jederzeit annehmen. Bis dahin kannst du es zurücknehmen.
gift-waiting-late = { $receiver } hat eine Mail mit einem Link bekommen und kann das Geschenk jederzeit annehmen. Die Zeit für eine Rückgabe ist vorbei, deshalb entscheidet der Entwickler, ob du es zurücknehmen kannst.
gift-accepted-text = { $receiver } hat dein Geschenk angenommen.
gift-declined-text = { $receiver } hat dein Geschenk abgelehnt. Gib es zurück, um dein Geld zu bekommen.
gift-receiver-deleted = Das Konto, für das es war, wurde gelöscht.
# Variables: $left (String): a sum with its currency.
gift-return-text = { $left } gehen auf dem Weg zurück, auf dem du bezahlt hast. Wurde das Geschenk angenommen, verliert die beschenkte Person ihr Exemplar.
gift-request-text = Die Zeit für eine Rückgabe ist vorbei, oder die beschenkte Person hat lange gespielt. Der Entwickler entscheidet über { $left }.
gift-refunded-text = Das Geld geht auf dem Weg zurück, auf dem du bezahlt hast. Das Geschenk wurde zurückgenommen.
gift-refunded-second = Du hattest das derselben Person schon geschenkt, deshalb geht diese zweite Zahlung auf dem Weg zurück, auf dem du bezahlt hast. Am ersten Geschenk ändert sich nichts.
gift-disputed-text = Deine Bank hat die Zahlung zurückgeholt, deshalb wurde das Geschenk zurückgenommen.
gift-title = Ein Geschenk für dich
# Variables: $giver (String): the username of the buyer, $game (String): what it is.
gift-from = <strong>{ $giver }</strong> hat dir <strong>{ $game }</strong> gekauft.
gift-from-somebody = Jemand hat dir <strong>{ $game }</strong> gekauft.
gift-adult-item = ein Spiel mit Inhalten für Erwachsene
gift-adult-text = Dieses Spiel hat Inhalte für Erwachsene. <link>Schalte sie in deinen Einstellungen ein</link>, um es anzunehmen.
gift-open = Geschenk öffnen
gift-sign-in-text = Melde dich an, um es anzunehmen, oder registriere dich mit der Mailadresse, an die das Geschenk ging.
gift-not-yours = Dieses Geschenk ist für ein anderes Konto. Melde dich mit dem Konto an, für das es ist. Ging es an deine Mailadresse, bestätige sie zuerst in deinen Einstellungen.
gift-accept = Geschenk annehmen
gift-accept-done = Das Geschenk ist in deiner Bibliothek.
gift-decline = Ablehnen
gift-decline-text = Der Käufer bekommt eine Mail und kann sein Geld zurückbekommen. Du kannst das Geschenk dann nicht mehr annehmen.
gift-decline-done = Du hast das Geschenk abgelehnt.

## Refunds

refund-now = Zurückgeben
# Variables: $left (String): a sum with its currency.
refund-now-text = { $left } gehen auf dem Weg zurück, auf dem du bezahlt hast, und dein Exemplar wird mit deiner Rezension aus der Bibliothek entfernt.
refund-request = Um Erstattung bitten
refund-request-text = Die Zeit für eine Rückgabe ist vorbei, oder du hast lange gespielt. Der Entwickler entscheidet über { $left }.
refund-reason = Grund
refund-requested = Du hast um Erstattung gebeten. Der Entwickler antwortet per Mail.
refund-sending = Deine Erstattung ist unterwegs.
refund-sending-automatic = Diese Zahlung bringt dir nichts Neues, deshalb geht sie von selbst zurück.
refund-failed = Die Erstattung ist fehlgeschlagen, es wurde kein Geld gesendet. Die Betreiber des Stores sehen das. Du kannst es noch einmal versuchen oder dem Entwickler schreiben.
refund-failed-closed = Die Erstattung ist fehlgeschlagen, weil die Karte oder das Konto, womit du bezahlt hast, kein Geld mehr annimmt. Die Betreiber des Stores sehen das. Schreib dem Entwickler wegen eines anderen Wegs.
refund-failed-seller = Die letzte Erstattung ist fehlgeschlagen, es wurde kein Geld gesendet. Versuch es noch einmal oder sende es auf der Website des Zahlungsanbieters. Seine Antwort:
refund-declined = Der Entwickler hat die Erstattung abgelehnt.
# Variables: $amount (String): a sum with its currency.
refund-message = Nachricht zur Erstattung von { $amount }:
refund-request-note = Der Käufer bittet um Erstattung.
refund-amount = Betrag
refund-all = Lass das Feld leer für alles, was übrig ist.
refund-answer = Nachricht an den Käufer
refund-decline = Bitte ablehnen
refund-decide = Antworten
refund-send = Erstatten
# Variables: $left (String): a sum with its currency.
refund-send-text = { $left } sind übrig. Bei einer vollen Erstattung verliert der Käufer sein Exemplar.

## Selling

payments-title = Zahlungen
payments-closed = Dieser Store nimmt noch keine Zahlungen an.
payments-by-transfer = Käufer bezahlen diesen Store per Überweisung. Du brauchst kein Konto.
payments-ready = Käufer können dich bezahlen. Das Geld geht auf dein eigenes Konto beim Zahlungsanbieter.
payments-start-text = Um hier zu verkaufen, brauchst du ein Konto beim Zahlungsanbieter. Käufer zahlen direkt darauf; der Store bekommt seine Gebühr von jedem Verkauf.
payments-unfinished = Der Zahlungsanbieter braucht noch etwas von dir, bevor Käufer bezahlen können.
payments-disconnected = Du hast dein Konto beim Zahlungsanbieter von diesem Store getrennt. Niemand kann bei dir kaufen, bis du Zahlungen wieder einrichtest.
payments-start = Zahlungen einrichten
payments-continue = Einrichtung fortsetzen
payments-leave = Die übrigen Angaben machst du auf den Seiten des Zahlungsanbieters. Der Link funktioniert nur einmal.
payments-open-provider = Weiter bei Stripe
payments-missing = Kaufen ist geschlossen, bis diese Einstellungen gesetzt sind:
payments-link = Zahlungen und Verkäufe
payments-save = Änderungen speichern
payments-saved = Gespeichert
seller-details = Belege
seller-details-text = Was auf den Belegen deiner Käufer über dich steht.
seller-name = Name des Verkäufers
seller-address = Adresse
seller-tax-id = Steuernummer
seller-tax-percent = Steuer in Prozent
seller-tax-percent-hint = Deine Preise enthalten diese Steuer. 0 für keine.
sales = Verkäufe
# Variables: $fee (String): a sum with its currency.
sale-fee = Gebühr des Stores: { $fee }
console-orders = Bestellungen
order-settle-text = Bestätige nur, was angekommen ist. Der Käufer bekommt sein Exemplar sofort.
order-reference = Verwendungszweck der Überweisung
order-settled = Die Zahlung ist bestätigt.

## Bestellungen in der Konsole

orders-search = Bestellnummer, Verwendungszweck oder Käufer
orders-attention = Braucht dich
orders-transfer = Wartet auf Überweisung
orders-refund-requested = Erstattung erbeten
orders-refund-by-hand = Erstattung von Hand zu senden
orders-problem = Problem
orders-all = Alle Bestellungen
orders-no-match = Keine Bestellungen
orders-no-match-text = Keine Bestellung passt. Wähle einen anderen Stand oder such nach dem Anfang einer Bestellnummer.
order-note-transfer = Wartet auf eine Überweisung. Bestätige sie, wenn das Geld da ist.
# Variables: $amount (String): a sum with its currency.
order-note-by-hand = Überweise { $amount } an den Käufer zurück und trag es hier ein.
order-note-refund-failed = Eine Erstattung ist fehlgeschlagen, es wurde kein Geld gesendet. Versuch es unten noch einmal, oder bitte den Verkäufer, es auf der Website des Zahlungsanbieters zu senden.
order-problem-amount = Der Anbieter meldet eine Zahlung von { $amount }, das ist nicht der Betrag dieser Bestellung. Der Käufer hat kein Exemplar. Vergleiche beide beim Anbieter und erstatte sie dort.
order-problem-state = Der Anbieter meldet einen Zustand, den diese Bestellung nicht bekommen kann: { $from } → { $to }. Vergleiche ihn mit der Zahlung beim Anbieter.
order-problem-refund = Eine Erstattung ist fehlgeschlagen, es wurde kein Geld gesendet. Sende sie noch einmal, oder bitte den Verkäufer, es beim Anbieter zu tun. Der Anbieter antwortete:
order-problem-unchecked = Diese Bestellung konnte nicht mit dem Anbieter verglichen werden. Es wird von selbst noch einmal versucht. Die Antwort:
order-problem-ledger = Hauptbuch und Anbieter unterscheiden sich. Vergleiche die Zahlung beim Anbieter. Der Unterschied:
order-buyer = Käufer
order-fee = Gebühr des Stores
order-provider = Bezahlt per
order-by-transfer = Überweisung
order-events = Verlauf
order-event-ordered = Bestellt
order-event-transfer-confirmed = Überweisung bestätigt
order-event-gift-accepted = Geschenk angenommen
order-event-gift-declined = Geschenk abgelehnt
order-event-refund-requested = Um Erstattung gebeten
order-event-refund-declined = Erstattung abgelehnt
order-event-refund-started = Erstattung begonnen
order-event-refund-failed = Erstattung fehlgeschlagen
order-event-transfer-sent-back = Geld zurücküberwiesen
order-event-dispute-won = Zahlung dem Verkäufer zugesprochen
order-settle-title = Überweisung bestätigen
order-settle-late = Diese Bestellung ist abgelaufen. Kam die Überweisung zu spät an, bestätige sie: Der Käufer bekommt sofort sein Exemplar, oder sein Geld zurück, wenn er es inzwischen noch einmal gekauft hat.
order-refund-title = Erstatten oder antworten
order-refund-started = Die Erstattung hat begonnen.
order-declined = Die Bitte ist abgelehnt, und der Käufer bekommt eine Mail.
order-sent-title = Rücküberweisung eintragen
order-sent-text = Überweise dem Käufer zuerst { $amount }. Hier hältst du nur fest, dass du es getan hast.
order-sent-done = Eingetragen. Es ist nichts mehr zu überweisen.
order-returned-title = Die Bank hat die Überweisung zurückgeholt
order-returned-text = Nimm das, wenn die Bank des Käufers die Überweisung zurückgeholt hat und du nichts senden musst. Alles, was übrig ist, wird erstattet, und der Käufer verliert sein Exemplar.
order-returned-done = Die Bestellung ist erstattet.
rule-not-by-transfer = Diese Bestellung wurde nicht per Überweisung bezahlt. Erstatte sie stattdessen.
rule-no-refund-by-hand = Keine Erstattung dieser Bestellung wartet darauf, gesendet zu werden. Erstatte sie zuerst.

## Guthaben und Auszahlungen

payouts-title = Guthaben und Auszahlungen
balance = Guthaben
balance-text = Wie der Zahlungsanbieter es jetzt meldet. Er zahlt nach dem Plan deines Kontos dort aus.
balance-available = Verfügbar
balance-pending = Noch nicht verfügbar
balance-empty = Der Anbieter hält nichts für dich.
payouts = Auszahlungen
payouts-none = Noch keine Auszahlungen
payouts-none-text = Auszahlungen stehen hier, sobald der Anbieter die erste macht.
payouts-again = Noch einmal versuchen
payouts-no-account = Du hast kein Konto beim Zahlungsanbieter. Richte Zahlungen ein, um hier zu verkaufen.
payouts-by-transfer = Überweisungen gehen auf das Bankkonto des Stores, der dir deinen Anteil von Hand schickt. Was er dir geschickt hat, weiß der Store nicht; frag seine Betreiber.
payout-arrives = Kommt an
payout-amount = Betrag
payout-pending = Geplant
payout-in-transit = Unterwegs
payout-paid = Angekommen
payout-failed = Fehlgeschlagen
payout-canceled = Abgebrochen
rule-provider-unavailable = Der Zahlungsanbieter antwortet nicht. Versuch es in einer Minute noch einmal oder sieh auf seiner Website nach.

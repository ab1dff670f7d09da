# Käufe: Bestellungen, Erstattungen, die Einrichtung von Verkäufern.

## Mails

mail-receipt-subject = Dein Beleg für { $game } von { $store }
mail-receipt = Danke, dass du { $game } gekauft hast. Du hast { $total } bezahlt, und es ist in deiner Bibliothek.
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
mail-refund-request-subject = Ein Käufer von { $game } auf { $store } bittet um Erstattung
mail-refund-request = Der Käufer hat { $total } für { $game } bezahlt und bittet um Rückzahlung:
mail-refund-declined-subject = Keine Erstattung für { $game } auf { $store }
mail-refund-declined = Der Entwickler von { $game } hat deine Bitte um Erstattung abgelehnt.
mail-dispute-subject = Eine Zahlung für { $game } auf { $store } ist umstritten
mail-dispute = Die Bank eines Käufers hat { $total } für { $game } zurückgeholt. Antworte darauf beim Zahlungsanbieter; die Kopie wurde zurückgenommen.

## Refusals

refusal-payments-closed = Kaufen ist hier noch nicht möglich.
refusal-payment-account-required = Richte in deinen Einstellungen Zahlungen ein, bevor ein Eintrag mit Preis öffentlich wird.
refusal-refund-not-possible = Diese Bestellung kann nicht erstattet werden.
refusal-invalid-signature = Die Signatur fehlt, ist falsch oder zu alt.
rule-copy-exists = Du hast das schon. Es ist in deiner Bibliothek.
rule-listing-is-free = Das ist kostenlos. Füge es stattdessen deiner Bibliothek hinzu.
rule-seller-not-ready = Kaufen ist hier noch nicht möglich.
rule-seller-is-buyer = Das ist dein eigener Eintrag.
rule-not-settled-by-hand = Nur eine offene Bestellung, die per Überweisung bezahlt wird, wird bestätigt.
rule-refund-pending = Eine Erstattung dieser Bestellung ist unterwegs oder wartet auf eine Antwort.
rule-refund-too-large = Das ist mehr, als von dieser Bestellung übrig ist.
rule-order-not-paid = Nur eine bezahlte Bestellung kann erstattet werden.

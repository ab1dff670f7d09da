# Purchases: orders, refunds, the set-up of sellers.

## Mails

mail-receipt-subject = Your receipt for { $game } from { $store }
mail-receipt = Thank you for buying { $game }. You paid { $total }, and it is in your library.
mail-receipt-lines = Net { $net }, tax { $tax }, total { $total }.
# Variables: $seller (String): name, address and tax number of the developer.
mail-receipt-seller = Sold by { $seller }
mail-receipt-open = Your order: { $url }
mail-sale-subject = You sold { $game } on { $store }
mail-sale = Somebody bought { $game } for { $total }, of which { $tax } is tax and { $fee } the fee of the store.
mail-sale-open = Your sales: { $url }
mail-refund-subject = Your refund for { $game } from { $store }
mail-refund = { $amount } of what you paid for { $game } goes back the way you paid. It can take some days.
mail-refund-copy = The game was removed from your library.
mail-refund-request-subject = A buyer of { $game } on { $store } asks for a refund
mail-refund-request = The buyer paid { $total } for { $game } and asks for it back:
mail-refund-declined-subject = No refund for { $game } on { $store }
mail-refund-declined = The developer of { $game } declined your request for a refund.
mail-dispute-subject = A payment for { $game } on { $store } is disputed
mail-dispute = The bank of a buyer took { $total } for { $game } back. Answer it at the payment provider; the copy was taken back.

## Refusals

refusal-payments-closed = Buying is not open here yet.
refusal-payment-account-required = Set up payments in your settings before a listing with a price goes public.
refusal-refund-not-possible = This order cannot be refunded.
refusal-invalid-signature = The signature is missing, wrong or too old.
rule-copy-exists = You have this already. It is in your library.
rule-listing-is-free = This is free. Add it to your library instead.
rule-seller-not-ready = Buying is not open here yet.
rule-seller-is-buyer = This is your own listing.
rule-not-settled-by-hand = Only an open order that is paid by transfer is confirmed.
rule-refund-pending = A refund of this order is on its way, or waits for an answer.
rule-refund-too-large = That is more than is left of this order.
rule-order-not-paid = Only an order that is paid can be refunded.

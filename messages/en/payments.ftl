# Purchases: orders, refunds, the set-up of sellers.

## Mails

mail-receipt-subject = Your receipt for { $game } from { $store }
mail-receipt = Thank you for buying { $game }. You paid { $total }, and it is in your library.
mail-receipt-gift = Thank you for buying { $game }. You paid { $total }. The receiver of your gift gets a mail with a link to accept it.
mail-receipt-goes-back = You paid { $total } for { $game }. This payment gives you nothing new, so all of it goes back the way you paid.
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
mail-refund-gift = The gift was taken back.
mail-refund-kept = You still have a copy of it in your library.
mail-refund-second = You had bought it before, so this second payment goes back. The copy stays in your library.
mail-refund-unavailable = It is no longer in the store, so you get your money back.
mail-refund-second-gift = You had given it to the same person before, so this second payment goes back. The first gift stays as it is.
mail-refund-message = The message to you:
mail-refund-by-hand-subject = Send a transfer back: { $game } on { $store }
mail-refund-by-hand = { $amount } for { $game } goes back to its buyer. The order was paid by transfer, so the store cannot send it: transfer it by hand and record that on the page of the order.
mail-refund-by-hand-open = The order: { $url }
mail-refund-request-subject = A buyer of { $game } on { $store } asks for a refund
mail-refund-request = The buyer paid { $total } for { $game } and asks for { $amount } back:
mail-refund-declined-subject = No refund for { $game } on { $store }
mail-refund-declined = The developer of { $game } declined your request for a refund.
mail-refund-failed-subject = A refund for { $game } on { $store } failed
mail-refund-failed = The payment provider did not send the refund for { $game }. The operators of the store know about it and will contact you. What the provider said:
mail-refund-failed-buyer = The refund for { $game } failed, and no money was sent.
mail-refund-failed-closed = The card or account that you paid with does not take money any more. The operators of the store know about it and will contact you.
mail-refund-failed-not-sent = The payment provider did not send the money. The operators of the store know about it and will contact you.
mail-refund-failed-open = The order: { $url }
mail-operator-refund-failed = The payment provider did not send the refund of order { $order } ({ $game }). Talk to the buyer, and refund it again or send the money another way. What the provider said:
mail-operator-request-subject = A buyer of { $game } on { $store } asks for a refund, and the developer is gone
mail-operator-request = The buyer paid { $total } for { $game } and asks for { $amount } back. The developer has no account any more, so you decide:
mail-operator-orders = Orders that need an operator: { $url }
mail-dispute-subject = A payment for { $game } on { $store } is disputed
mail-dispute = The bank of a buyer took { $total } for { $game } back. Answer it at the payment provider; the copy was taken back.
mail-gift-subject = You have a gift on { $store }
# Variables: $giver (String): the username of the buyer.
mail-gift = { $giver } bought { $game } for you on { $store }.
mail-gift-adult = { $giver } bought a game with adult content for you on { $store }.
mail-gift-somebody = Somebody bought you a gift on { $store }.
mail-gift-open = Accept or decline the gift: { $url }
mail-gift-unwanted = The gift waits until you decide. If you do not want it, decline it or ignore this mail.
mail-gift-accepted-subject = Your gift of { $game } on { $store } was accepted
mail-gift-accepted = { $receiver } accepted your gift: { $game }.
mail-gift-declined-subject = Your gift of { $game } on { $store } was declined
mail-gift-declined = { $receiver } declined your gift: { $game }. You can return it on the page of your order and get your money back.
mail-gift-taken-subject = Your gift { $game } on { $store } was taken back
mail-gift-taken = The payment for { $game }, which you got as a gift, went back to the buyer. The game was removed from your library.
mail-gift-library = Your library: { $url }

## Refusals

refusal-payments-closed = Buying is not open here yet.
refusal-payment-account-required = Set up payments in your settings before a listing with a price goes public.
refusal-refund-not-possible = This order cannot be refunded.
refusal-invalid-signature = The signature is missing, wrong or too old.
rule-copy-exists = You have this already. It is in your library.
rule-listing-is-free = This is free. Add it to your library instead.
rule-seller-not-ready = Buying is not open here yet.
rule-seller-is-buyer = This is your own listing.
rule-below-minimum = With this coupon the price is less than can be paid here. Buy it without the coupon.
rule-price-below-minimum = This price is less than can be paid by card. Ask the developer to change it.
rule-not-settled-by-hand = Only an open order that is paid by transfer is confirmed.
rule-refund-pending = A refund of this order is on its way, or waits for an answer.
rule-refund-too-large = That is more than is left of this order.
rule-order-not-paid = Only an order that is paid can be refunded.
refusal-gift-not-possible = This gift cannot be made.
refusal-gift-not-waiting = This gift cannot be accepted or declined.
rule-receiver-has-copy = This person has it already. Choose something else.
rule-gift-to-self = This is you. Buy it without naming a receiver.
rule-gift-given = You gave this to the same person before. Choose something else, or somebody else.
rule-gift-copy-exists = You have this already. Decline the gift, so that the buyer can return it.
rule-gift-adult = This has adult content. Turn that on in your settings first.
rule-gift-unpaid = This gift is not paid yet. Try again later.
rule-gift-accepted = This gift was accepted.
rule-gift-declined = This gift was declined. The buyer can get the money back.
rule-gift-returned = This gift was taken back by its buyer.
rule-gift-unavailable = This game is no longer in the store, so the gift cannot be accepted. The buyer can get the money back.

## Buying

buy = Buy
# Variables: $currency (String): a currency, such as USD.
buy-amount = Your price in { $currency }
buy-amount-wrong = Type an amount in { $currency } in digits, such as 5 or 7.50.
buy-coupon = Use a coupon
buy-coupon-code = Coupon code
buy-gift = This is a gift
buy-as-gift = Buy as a gift
buy-gift-to = Username or mail address of the receiver
buy-gift-hint = They get a mail with a link, and the game when they accept it.
buy-gift-submit = Buy the gift
# Variables: $name (String): the name of an edition.
buy-edition = Buy<hidden> { $name }</hidden>
orders = Orders
orders-none = You have bought nothing yet.
order-item = Item
order-date = Date
order-state = State
order-number = Order number
order-seller = Seller
order-net = Net
order-tax = Included tax
order-total = Total
order-refunded-sum = Refunded
order-open = Waiting for payment
order-paid = Paid
order-refunded = Refunded
order-disputed = Disputed
order-expired = Expired
# Variables: $total (String): a sum with its currency.
order-pay = Pay { $total }
order-waits = You pay on a page of the payment provider. This page notices the payment by itself, which can take a minute.
# Variables: $number (String): the number of the order.
order-transfer = Transfer the total and name the order number { $number }:
order-transfer-wait = The store confirms the transfer when it arrives. You then get a receipt by mail.
order-free-waits = There is nothing to pay. Your order is being completed; this page notices it by itself.
order-to-library = Go to your library
order-invoice = Invoice
order-again = Back to the listing
order-refunded-text = The money goes back the way you paid. The copy was removed from your library.
order-refunded-kept = The money goes back the way you paid. You still have a copy in your library.
order-refunded-second = You had bought this before, so this second payment goes back the way you paid. The copy stays in your library.
order-refunded-unavailable = This is no longer in the store, so the money goes back the way you paid.
order-disputed-text = Your bank took the payment back, so the copy was removed from your library.
order-disputed-kept = Your bank took the payment back. You still have another copy in your library.
invoice-title = Invoice { $number }
invoice-tax-id = Tax number { $number }
invoice-print = Print this page, or save it as a PDF.
invoice-unpaid = There is no invoice yet. You get one when the order is paid.

## Gifts

gift-for = Gift for
gift-state = Gift
gift-deleted-account = A deleted account
gift-unpaid = Not paid yet
gift-waiting = Waiting for the receiver
gift-accepted = Accepted
gift-declined = Declined
gift-returned = Taken back
# Variables: $receiver (String): a username or mail address.
gift-waiting-text = { $receiver } got a mail with a link and can accept the gift at any time. Until then you can take it back.
gift-waiting-late = { $receiver } got a mail with a link and can accept the gift at any time. The time for a return has passed, so the developer decides whether you can take it back.
gift-accepted-text = { $receiver } accepted your gift.
gift-declined-text = { $receiver } declined your gift. Return it to get your money back.
gift-receiver-deleted = The receiver has deleted their account.
# Variables: $left (String): a sum with its currency.
gift-return-text = { $left } goes back the way you paid. If the gift was accepted, the receiver loses the copy.
gift-request-text = The time for a return has passed, or the receiver has played for long. The developer decides about { $left }.
gift-refunded-text = The money goes back the way you paid. The gift was taken back.
gift-refunded-second = You had given this to the same person before, so this second payment goes back the way you paid. The first gift stays as it is.
gift-disputed-text = Your bank took the payment back, so the gift was taken back.
gift-title = A gift for you
# Variables: $giver (String): the username of the buyer, $game (String): what it is.
gift-from = <strong>{ $giver }</strong> bought <strong>{ $game }</strong> for you.
gift-from-somebody = Somebody bought <strong>{ $game }</strong> for you.
gift-adult-item = a game with adult content
gift-adult-text = This game has adult content. <link>Turn that on in your settings</link> to accept it.
gift-open = Open the gift
gift-sign-in-text = Sign in to accept it, or sign up with the mail address that the gift was sent to.
gift-not-yours = This gift is for another account. Sign in with the account of its receiver. If it was sent to your mail address, verify that address in your settings first.
gift-accept = Accept the gift
gift-accept-done = The gift is in your library.
gift-decline = Decline
gift-decline-text = The buyer gets a mail and can get the money back. You cannot accept the gift later.
gift-decline-done = You declined the gift.

## Refunds

refund-now = Return it
# Variables: $left (String): a sum with its currency.
refund-now-text = { $left } goes back the way you paid, and the copy leaves your library with your review of it.
refund-request = Ask for a refund
refund-request-text = The time for a return has passed, or you have played for long. The developer decides about { $left }.
refund-reason = Reason
refund-requested = You asked for a refund. The developer will answer by mail.
refund-sending = Your refund is on its way.
refund-sending-automatic = This payment gives you nothing new, so it goes back by itself.
refund-failed = The refund failed, and no money was sent. The operators of the store see this. You can try again, or write to the developer.
refund-failed-closed = The refund failed, because the card or account that you paid with does not take money any more. The operators of the store see this. Write to the developer about another way.
refund-failed-seller = The last refund failed, and no money was sent. Try again, or send it on the website of the payment provider. It answered:
refund-declined = The developer declined the refund.
# Variables: $amount (String): a sum with its currency.
refund-message = Message about the refund of { $amount }:
refund-request-note = The buyer asks for a refund.
refund-amount = Amount
refund-all = Leave it empty for everything that is left.
refund-answer = Message to the buyer
refund-decline = Decline the request
refund-decide = Answer
refund-send = Refund
# Variables: $left (String): a sum with its currency.
refund-send-text = { $left } is left. A full refund takes the copy back.

## Selling

payments-title = Payments
payments-closed = This store does not take payments yet.
payments-by-transfer = Buyers pay this store by transfer. You need no account.
payments-ready = Buyers can pay you. The money goes to your own account at the payment provider.
payments-start-text = To sell here you need an account at the payment provider. Buyers pay into it directly; the store gets its fee of each sale.
payments-unfinished = The payment provider needs more from you before buyers can pay.
payments-disconnected = You disconnected your account from this store at the payment provider. Nobody can buy from you until you set up payments again.
payments-start = Set up payments
payments-continue = Continue the set-up
payments-leave = The payment provider asks for the rest on its own pages. The link works once.
payments-open-provider = Continue at Stripe
payments-missing = Buying is closed until these settings are made:
payments-link = Payments and sales
payments-save = Save changes
payments-saved = Saved
seller-details = Receipts
seller-details-text = What the receipts of your buyers say about you.
seller-name = Name of the seller
seller-address = Address
seller-tax-id = Tax number
seller-tax-percent = Tax in percent
seller-tax-percent-hint = Your prices include this tax. 0 for none.
sales = Sales
# Variables: $fee (String): a sum with its currency.
sale-fee = Fee of the store: { $fee }
console-orders = Orders
order-settle-text = Confirm only what has arrived. The buyer gets the copy at once.
order-reference = Reference of the transfer
order-settled = The payment is confirmed.

## Orders in the console

orders-search = Order number, reference or buyer
orders-attention = Needs you
orders-transfer = Waiting for a transfer
orders-refund-requested = Refund requested
orders-refund-by-hand = Refund to send by hand
orders-problem = Problem
orders-all = All orders
orders-no-match = No orders
orders-no-match-text = No order matches. Choose another state, or search for the start of an order number.
order-note-transfer = Waits for a transfer. Confirm it when the money has arrived.
# Variables: $amount (String): a sum with its currency.
order-note-by-hand = Send { $amount } back to the buyer by transfer, and record it here.
order-note-refund-failed = A refund failed, and no money was sent. Try it again below, or ask the seller to send it on the website of the payment provider.
# Variables: $amount (String): a sum with its currency.
order-problem-amount = The provider reports a payment of { $amount }, which is not the total of this order. The buyer has no copy. Compare both at the provider, and refund it there.
# Variables: $from (String), $to (String): states of an order.
order-problem-state = The provider reports a state that this order cannot get: { $from } → { $to }. Compare it with the payment at the provider.
order-problem-refund = A refund failed, and no money was sent. Send it again, or ask the seller to do it at the provider. The provider answered:
order-problem-unchecked = This order could not be compared with the provider. It is tried again by itself. The answer:
order-problem-ledger = The ledger and the provider differ. Compare the payment at the provider. What differs:
order-buyer = Buyer
order-fee = Fee of the store
order-provider = Paid by
order-by-transfer = Transfer
order-events = What happened
order-event-ordered = Ordered
order-event-transfer-confirmed = Transfer confirmed
order-event-gift-accepted = Gift accepted
order-event-gift-declined = Gift declined
order-event-refund-requested = Refund requested
order-event-refund-declined = Refund declined
order-event-refund-started = Refund started
order-event-refund-failed = Refund failed
order-event-transfer-sent-back = Money sent back by transfer
order-event-dispute-won = Dispute won by the seller
order-settle-title = Confirm the transfer
order-settle-late = This order has expired. If its transfer arrived late, confirm it: the buyer gets the copy at once, or the money back if they bought it again meanwhile.
order-refund-title = Refund or answer
order-refund-started = The refund has started.
order-declined = The request is declined, and the buyer gets a mail.
order-sent-title = Record the money you sent back
order-sent-text = Send { $amount } to the buyer by transfer first. This only records that you did.
order-sent-done = Recorded. Nothing is left to send.
order-returned-title = The bank returned the transfer
order-returned-text = Use this if the bank of the buyer took the transfer back, so that you have nothing to send. All that is left is refunded, and the copy is taken back.
order-returned-done = The order is refunded.
rule-not-by-transfer = This order was not paid by transfer. Refund it instead.
rule-no-refund-by-hand = No refund of this order waits to be sent. Refund it first.

## Balance and payouts

payouts-title = Balance and payouts
balance = Balance
balance-text = As the payment provider reports it now. The provider pays out by the schedule of your account there.
balance-available = Available
balance-pending = Not available yet
balance-empty = The provider holds nothing for you.
payouts = Payouts
payouts-none = No payouts yet
payouts-none-text = Payouts appear here when the provider makes the first.
payouts-again = Try again
payouts-no-account = You have no account at the payment provider. Set up payments to sell here.
payouts-by-transfer = Transfers arrive at the bank account of the store, which sends you your share by hand. The store has no record of what it sent you; ask its operators.
payout-arrives = Arrives
payout-amount = Amount
payout-pending = Planned
payout-in-transit = On its way
payout-paid = Arrived
payout-failed = Failed
payout-canceled = Canceled
rule-provider-unavailable = The payment provider does not answer. Try again in a minute, or look at its own site.

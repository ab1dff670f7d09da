### Prices, sales and coupons.

## Prices on the pages of the store

# Variables: $percent (Number).
sale-percent = −{ $percent }%
# Read by screen readers before the price without the sale.
price-before = Price before:
# Variables: $date (Markup).
sale-ends = Sale ends { $date }
# Variables: $price (String).
sale-lowest = Lowest price of the 30 days before: { $price }
pay-what-you-want = You choose what you pay, from { $min }.
pay-what-you-want-suggested = You choose what you pay, from { $min }. The developer suggests { $suggested }.
currency = Currency
currency-choose = Show prices
filter-sale = Sales
on-sale-now = On sale now
filter-max-price = Highest price
# Variables: $price (String).
max-price = Up to { $price }

## The dashboard

sections-sales = Sales
section-sales = Prices and sales
prices-title = Prices
prices-text = The price in US dollars is in the settings of the project and its editions. Here you add prices in other currencies; visitors choose which one they see.
prices-other = Prices in other currencies
# Variables: $codes (String): a list of codes.
prices-other-hint = One per line, such as EUR 9.99. Currencies: { $codes }.
prices-save = Save prices
prices-saved = Prices saved
pay-what-you-want-label = Buyers choose what they pay
pay-what-you-want-hint = The price is the least they can pay.
price-suggested = Suggested price in US dollars
sale-list = Sales
sale-text = A sale lowers the price for a time. The page also shows the lowest price of the 30 days before, as EU law requires.
sale-none = No sales yet
sale-none-text = Add one below. It starts and ends by itself.
sale-reduction = Reduction
sale-from = From
sale-to = Until
sale-action = Action
# Variables: $amount (String).
sale-amount-off = { $amount } off
sale-every-edition = Every edition
sale-running = Running
sale-planned = Planned
sale-ended = Ended
sale-end = End
sale-end-text = The price goes back to normal at once. A sale that has not started is deleted.
sale-is-ended = Sale ended
sale-new = New sale
sale-percent-label = Percent off
sale-amount-label = Amount off in US dollars
sale-amount-hint = Instead of percent. Prices in other currencies fall by the same share.
sale-event = Sale of the store
sale-event-hint = It decides when the sale runs.
sale-own = None, a sale of your own
sale-starts-label = Starts (UTC)
sale-starts-hint = Leave it empty to start at once.
sale-ends-label = Ends (UTC)
# Variables: $days (Number).
sale-ends-hint = At most { $days } days after the start.
sale-add = Add sale
sale-added = Sale added
sale-needs-price = Set a price in the settings before you plan a sale.

## Sales of the store, for operators

console-sale-events = Sales
sale-events-text = A sale of the whole store has a name and a period. Developers let their listings take part with a reduction of their own.
sale-event-none = No sale is planned
sale-event-none-text = Plan one, and developers can join it at once.
sale-event-name = Name
sale-event-listings = Listings
sale-event-add = Plan sale
sale-event-added = Sale planned
sale-event-end-text = The sales of all listings that take part end with it.

## Refusals

refusal-invalid-offer = The prices are not valid.
refusal-invalid-sale = The sale is not valid.
refusal-currency-not-offered = This listing has no price in this currency. Choose another one.
refusal-amount-too-low = The amount is less than the price.
refusal-invalid-coupon = The coupon is not valid.
refusal-coupon-not-valid = This coupon cannot be used for this order.
rule-amount = Pay { $min } or more.
rule-amount-fixed = This costs { $price }. Pay exactly that.
rule-price-in = Enter a price in { $currency } from { $min } to { $max }.
rule-currency = Write one price per line with a currency of the list, each currency once, and not USD.
rule-price-needed = Set a price in US dollars first.
rule-percent-or-amount = Enter either a percentage or an amount.
rule-sale-amount = Enter an amount up to { $max }.
rule-sale-below-minimum = In this sale the price would be less than { $min }, the least that can be paid. Take off less.
# Variables: $days (Number).
rule-sale-times = A sale ends after it starts, within { $days } days.
rule-sale-past = Choose a time in the future.
# Variables: $days (Number).
rule-sale-ahead = Choose a start within { $days } days.
rule-sale-event-ended = That sale of the store has ended. Choose another one.
# Variables: $count (Number).
rule-sales = A listing has at most { $count } sales that have not ended. End one first.

## Coupons

section-coupons = Coupons
coupon-list = Coupons
coupon-text = Buyers type a coupon when they order. It takes something off the price, also during a sale.
coupon-none = No coupons yet
coupon-none-text = Make one below and give its code to people.
coupon-new = New coupon
coupon-code = Code
coupon-code-hint = 4 to 32 letters, digits and dashes, in any case.
coupon-amount-hint = Instead of percent.
coupon-uses = Used
# Variables: $uses (Number), $max (Number).
coupon-used-of = { $uses } of { $max }
coupon-listings = Listings
coupon-max-uses = Uses in total
coupon-per-person = Uses per person
coupon-games = Further listings
coupon-games-hint = Addresses of your other listings that it is for, one per line.
coupon-add = Make coupon
coupon-added = Coupon made
coupon-end-text = Nobody can use it from now on. Orders that were made with it stay as they are.
coupon-ended = Coupon ended
# Variables: $max (Number).
rule-coupon-code = Use 4 to { $max } letters, digits and dashes.
# Variables: $code (String).
rule-coupon-taken = This project has a coupon { $code }. Choose another code.
rule-coupon-times = A coupon ends after its start, in the future.
rule-coupon-listing = Enter addresses of your own listings.
# Variables: $count (Number).
rule-coupons = A project has at most { $count } coupons.
rule-coupon-unknown = There is no such coupon for this listing.
rule-coupon-not-started = This coupon cannot be used yet.
rule-coupon-ended = This coupon can no longer be used.
rule-coupon-used-up = This coupon was used as often as it can be.
rule-coupon-used-by-you = You used this coupon as often as you can.

## Redeem keys

section-keys = Redeem keys
keys-batches = Batches
keys-text = A key gives a copy to whoever redeems it on the page Redeem a key. The store keeps only hashes of keys.
keys-none = No keys yet
keys-none-text = Make a batch below, for example for reviewers or for backers.
keys-new = New batch
keys-label = Label
keys-label-hint = For you, such as who gets the keys.
keys-size = Number of keys
keys-no-edition = No edition
keys-expires-label = Expires (UTC)
keys-make = Make keys
keys-made = These are your new keys. They are shown only now; save them.
keys-download = Save as CSV
keys-new-list = New keys
keys-redeemed = Redeemed
keys-created = Made
keys-expires = Expires
keys-open = Valid
keys-expired = Expired
keys-revoked = Revoked
keys-revoke = Revoke
keys-revoke-text = Keys of this batch that were not redeemed stop working. Copies that people have stay.
keys-are-revoked = Keys revoked
keys-owner-only = Only the owner of the project makes redeem keys.
redeem-title = Redeem a key
redeem-text = A key from a developer adds a copy to your library.
redeem-key = Key
redeem-key-hint = 20 letters and digits. Dashes and capitals do not matter.
redeem-submit = Redeem
# Variables: $name (String).
redeem-done = { $name } is in your library
# Variables: $date (String).
copy-redeemed = From a key since { $date }
# Variables: $name (String).
copy-remove-text-key = { $name } leaves your library, with your review and your tags. The key cannot be redeemed again.
refusal-invalid-key-batch = The batch of keys is not valid.
refusal-key-not-valid = This key cannot be redeemed.
rule-key-mistyped = This is not a key. Check it for typing mistakes.
rule-key-unknown = There is no such key.
rule-key-redeemed = This key was redeemed already.
rule-key-revoked = This key was revoked. Contact whoever gave it to you.
rule-key-expired = This key has expired. Contact whoever gave it to you.
rule-key-owned = You have this already. The key is still valid for somebody else.
rule-key-expiry = Choose a time in the future.
# Variables: $count (Number).
rule-key-batches = A listing has at most { $count } batches of keys.

## Requests for keys

key-requests = Requests of press and creators
key-requests-text = While this is on, the press page has a form in which journalists and creators ask for a copy. You decide about each request.
key-requests-open = People can ask
key-requests-closed = Off
key-requests-allow = Allow requests
key-requests-close = Stop requests
key-requests-are-open = People can ask for copies
key-requests-are-closed = People can no longer ask for copies
key-request-column-person = Person
key-request-column-kind = Work
key-request-column-outlet = Publication
key-request-column-state = Status
key-request-column-action = Action
key-request-press = Press
key-request-creator = Creator
key-request-waiting = Waiting
key-request-approved = Approved
key-request-declined = Declined
key-request-approve = Give a copy
key-request-decline = Decline
key-request-is-approved = The copy is in their library
key-request-is-declined = Request declined
# Variables: $name (String).
key-request-title = Ask for a copy of { $name }
key-request-ask = Ask for a copy as press or creator
key-request-outlet = Publication or channel
key-request-url = Its address
key-request-message = Message to the developer
key-request-send = Send request
key-request-sent = Request sent. You get an email when the developer decides.
refusal-key-requests-closed = The developer takes no requests for copies.
refusal-invalid-key-request = The request is not valid.
rule-key-requested = You asked for a copy already.
# Variables: $game (String), $store (String).
mail-key-request-approved-subject = Your copy of { $game } on { $store }
mail-key-request-declined-subject = Your request for { $game } on { $store }
mail-key-request-approved = The developer of { $game } gave you a copy. It is in your library on { $store }.
# Variables: $url (String).
mail-key-request-open = Download it here: { $url }
mail-key-request-declined = The developer of { $game } declined your request for a copy on { $store }.

## Insights

download-key = Redeemed keys

## Sales reports

section-revenue = Revenue
console-sales-report = Revenue
revenue-totals = Totals
revenue-totals-text = By currency; the store never converts. Refunds and disputes are taken off what you got.
revenue-over-time = Orders over time
revenue-editions = By edition
revenue-reductions = By reduction
revenue-full-price = Full price
revenue-sale = Sale
revenue-coupon = Coupon
revenue-orders = Orders
revenue-gross = Paid
revenue-refunded = Refunded
revenue-disputed = Disputed
revenue-tax = Tax included
revenue-fee = Fee of the store
revenue-processing = Payment costs
revenue-net = For the seller
revenue-none = Nothing sold in this time
revenue-none-text = Orders appear here once they are paid.
revenue-orders-csv = All orders as CSV
revenue-disputes = Disputes
revenue-no-disputes = No order is in dispute.
revenue-title = Order
revenue-seller = Seller
revenue-paid-on = Paid on
revenue-tax-report = Tax report
# Variables: $year (String).
revenue-tax-csv = { $year } as CSV:
discovery-search = Search
discovery-home = Home page and shelves
discovery-tag = Tag
discovery-developer = Page of the developer
discovery-listing = Page of another listing
discovery-external = Other sites
discovery-direct = Direct
discovery-other = Other pages of the store
discovery-app = Apps and agents
discovery-unknown = Not recorded
revenue-breakdown = Orders by
revenue-countries = By country
revenue-country = Country
revenue-countries-text = As the payment provider reports it. Transfers have no country.
revenue-discovery = By discovery
revenue-came-from = Came from
revenue-discovery-text = How buyers came to your page. An order keeps only this, nothing about the person.
revenue-sellers = By seller
revenue-store-text = What the store sold, by currency. The store never converts.
revenue-tax-text = By period, seller, country and currency. A refund counts in the period of its payment.
revenue-by-month = Months
revenue-by-quarter = Quarters
revenue-by-year = Whole year

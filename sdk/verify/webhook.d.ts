export type WebhookResult =
  | {
      valid: true
      /** When this attempt was made. */
      sent_at: Date
    }
  | { valid: false; reason: 'malformed' | 'signature' | 'expired' }

export type WebhookOptions = {
  /** How old a webhook may be, or ahead of your clock, in seconds; 300 by default. */
  tolerance_seconds?: number
  /** The current time in milliseconds. */
  now?: number
}

/**
 * Verifies the header `X-Delivery-Signature` in constant time.
 *
 * @param body The request body exactly as it arrived, as text or bytes.
 * @param header The value of `X-Delivery-Signature`.
 * @param signing_key The signing key of the game, or of the webhook for reports.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  header: string | undefined,
  signing_key: string,
  options?: WebhookOptions,
): WebhookResult

import { type FormBody, fieldValue } from '../../components/form.ts'
import { cents } from '../page/cents.ts'

/** A number that may be left out. Other text is returned as it is, for the API to refuse. */
export const optionalNumber = (sent: FormBody, name: string): number | string | null => {
  const text = fieldValue(sent, name).trim()
  if (!text) return null
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text
}

/** An amount in dollars that may be left out, in cents. */
export const optionalCents = (sent: FormBody, name: string): number | string | null => {
  const text = fieldValue(sent, name).trim()
  return text ? cents(text) : null
}

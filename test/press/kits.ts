import type { PressKit } from '../../src/press/kit-rules.ts'

export const emptyKit: PressKit = {
  release_date: '',
  website_url: '',
  press_email: '',
  trailer_url: '',
  history: '',
  features: [],
  awards: [],
  links: [],
  quotes: [],
  credits: [],
}

/** A list that repeats a value. */
export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

import { analyticsTools } from './analytics-tools.ts'
import { buildTools } from './build-tools.ts'
import { feedbackTools } from './feedback-tools.ts'
import { pageTools } from './page-tools.ts'
import { priceTools } from './price-tools.ts'
import { profileTools } from './profile-tools.ts'
import type { Tool } from './tool.ts'

/** The tools for developers, in the order in which a client lists them. */
export const developerTools: Tool[] = [
  ...profileTools,
  ...pageTools,
  ...buildTools,
  ...analyticsTools,
  ...feedbackTools,
  ...priceTools,
]

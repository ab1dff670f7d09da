export const providerNames = ['stripe', 'manual'] as const
export type ProviderName = (typeof providerNames)[number]

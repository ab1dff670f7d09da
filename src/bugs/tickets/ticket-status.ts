export const ticketStatuses = ['open', 'fixed', 'closed'] as const
export type TicketStatus = (typeof ticketStatuses)[number]

import { city, forest, mountains, road, stars, waves } from './scenes-landscape.ts'
import { blocks, cards, circles, maze, panels, sprites } from './scenes-pattern.ts'

export const scenes = {
  waves,
  mountains,
  blocks,
  circles,
  sprites,
  stars,
  city,
  forest,
  maze,
  road,
  cards,
  panels,
} as const
export type SceneName = keyof typeof scenes

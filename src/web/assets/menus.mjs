/** Closes menus with Esc and by a click elsewhere, and messages by their button. */
const menus = () => document.querySelectorAll('details.menu[open]')

addEventListener('click', ({ target }) => {
  for (const menu of menus()) if (!menu.contains(target)) menu.open = false
})
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  for (const menu of menus()) {
    const had_focus = menu.contains(document.activeElement)
    menu.open = false
    if (had_focus) menu.querySelector('summary').focus()
  }
  document.querySelector('.toast')?.remove()
})

for (const toast of document.querySelectorAll('.toast')) {
  const close = toast.querySelector('button')
  close.hidden = false
  close.addEventListener('click', () => toast.remove())
}

/** Whether the words around an element are light, on a dark ground then, or dark. @param {Element} element */
export function schemeOf(element) {
  const pixel = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
  if (pixel === null) return 'light'
  // A canvas reads every form of colour.
  pixel.fillStyle = getComputedStyle(element).color
  pixel.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? 'dark' : 'light'
}

/** The colour of links around an element, asked of a link that is never seen. @param {Element} element */
export function linkColour(element) {
  const link = Object.assign(document.createElement('a'), { href: '#', hidden: true })
  element.before(link)
  const { color } = getComputedStyle(link)
  link.remove()
  return color
}

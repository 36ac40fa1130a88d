// Icons: path data drawn as inline SVG, so that no font and no emoji decides how they look.

const PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z',
  next: 'M5.5 5v14l9-7zM16 5h2.5v14H16z',
  back: 'M18.5 5v14l-9-7zM5.5 5H8v14H5.5z',
  first: 'M20 5v14l-8-7zM12 5v14l-8-7zM2.5 5h2v14h-2z',
  last: 'M4 5v14l8-7zM12 5v14l8-7zM19.5 5h2v14h-2z',
  fault: 'M12 3.2 22 20.5H2zM11 9.5v5.2h2V9.5zM11 16.4v2.1h2v-2.1z',
  link: 'M10.6 13.4a1 1 0 0 1 0-1.4l3.5-3.5a3.5 3.5 0 0 1 5 5l-2.2 2.1-1.4-1.4 2.1-2.1a1.5 1.5 0 0 0-2.1-2.2L12 13.4a1 1 0 0 1-1.4 0zM13.4 10.6a1 1 0 0 1 0 1.4l-3.5 3.5a3.5 3.5 0 0 1-5-5l2.2-2.1 1.4 1.4-2.1 2.1a1.5 1.5 0 0 0 2.1 2.2L12 10.6a1 1 0 0 1 1.4 0z',
  down: 'M11 4h2v9.2l3.3-3.3 1.4 1.4L12 17l-5.7-5.7 1.4-1.4 3.3 3.3zM5 18.5h14v2H5z',
  eye: 'M12 5.5c5 0 8.6 4 9.8 6.5-1.2 2.5-4.8 6.5-9.8 6.5S3.4 14.5 2.2 12C3.4 9.5 7 5.5 12 5.5zm0 2C8.5 7.5 5.7 10 4.5 12c1.2 2 4 4.5 7.5 4.5s6.3-2.5 7.5-4.5c-1.2-2-4-4.5-7.5-4.5zm0 1.7a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z',
  yes: 'M9.5 16.6 4.9 12l-1.5 1.5 6.1 6.1L20.6 8.5 19.1 7z',
  no: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6 10.6 12 5 6.4z',
  unknown: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-1 9.2c0-2.6 2.6-2.6 2.6-4.2 0-.9-.7-1.5-1.6-1.5s-1.7.6-1.7 1.6H8.4C8.4 8.1 9.9 6.8 12 6.8s3.5 1.2 3.5 3.1c0 2.4-2.6 2.7-2.6 4.3zM11 15.5h2v2h-2z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  minus: 'M5 11h14v2H5z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  keys: 'M2.5 6h19v12h-19zm2 2v8h15V8zM6 9.5h2v2H6zM10 9.5h2v2h-2zM14 9.5h2v2h-2zM7.5 13h9v1.7h-9z',
  sun: 'M12 7.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM11 2h2v3.5h-2zM11 18.5h2V22h-2zM2 11h3.5v2H2zM18.5 11H22v2h-3.5zM4.2 5.6l1.4-1.4L8.1 6.7 6.7 8.1zM15.9 17.3l1.4-1.4 2.5 2.5-1.4 1.4zM4.2 18.4l2.5-2.5 1.4 1.4-2.5 2.5zM15.9 6.7l2.5-2.5 1.4 1.4-2.5 2.5z',
  moon: 'M20.5 14.8A8.8 8.8 0 0 1 9.2 3.5a8.8 8.8 0 1 0 11.3 11.3z',
  auto: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2v14a7 7 0 0 0 0-14z',
  chevron: 'M8.6 5.4 15.2 12l-6.6 6.6 1.4 1.4 8-8-8-8z',
  live: 'M12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM11 7.5h2v4.1l3 3-1.4 1.4-3.6-3.6z',
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name @returns {SVGSVGElement} */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

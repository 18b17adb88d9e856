/// Blend mode of a color over a backdrop (W3C Compositing and Blending Level 1); the raw values are those of CGBlendMode.
/// `TintTransformer` passes them to the kernel `sdpx_tint_row`, whose enum has the same order.
package enum BlendMode: Int32, Sendable, CaseIterable {
    case normal = 0, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, softLight, hardLight, difference
    case exclusion, hue, saturation, color, luminosity, clear, copy, sourceIn, sourceOut, sourceAtop, destinationOver
    case destinationIn, destinationOut, destinationAtop, xor, plusDarker, plusLighter
}

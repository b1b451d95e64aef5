// Copies the finished frame to the window through the brightness curve.

struct Curve {
    // x: exponent.
    values: vec4<f32>,
}

@group(0) @binding(0) var<uniform> curve: Curve;
@group(0) @binding(1) var frame: texture_2d<f32>;

// One triangle that covers the whole target.
@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let x = f32(i32(index & 1u) * 4 - 1);
    let y = f32(i32(index >> 1u) * 4 - 1);
    return vec4(x, y, 0.0, 1.0);
}

@fragment
fn fs_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let color = textureLoad(frame, vec2<i32>(position.xy), 0);
    return vec4(pow(color.rgb, vec3(curve.values.x)), 1.0);
}

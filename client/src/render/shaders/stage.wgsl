// Draws one pass of one batch: a stage of a material, its fog, or a dynamic light on it.
//
// Everything that is constant over a batch was evaluated before and lies in `stage`; what differs from vertex to
// vertex is evaluated here, with the byte truncation of the reference, and then interpolated.

struct Object {
    // Of a model position less local_eye.
    clip_from_local: mat4x4<f32>,
    // Linear functions of the model position: distance along the view axis, and behind the portal's clip plane.
    depth: vec4<f32>,
    clip_plane: vec4<f32>,
    local_eye: vec4<f32>,
    world_eye: vec4<f32>,
    light_dir: vec4<f32>,
    // Color bytes as numbers.
    ambient: vec4<f32>,
    directed: vec4<f32>,
    // x: share of the old frame.
    frame: vec4<f32>,
    spare: array<vec4<f32>, 4>,
}

struct TexCoords {
    s_vector: vec4<f32>,
    t_vector: vec4<f32>,
    // st' = matrix * st + offset + sum of turbulences.
    matrix: vec4<f32>,
    offset: vec4<f32>,
    turb: array<vec4<f32>, 4>,
    turb_phase: vec4<f32>,
}

struct Deform {
    // kind, wave function, -, -
    kind: vec4<u32>,
    // Wave: base, amplitude, phase, spread. Bulge: width, height, time. Move: offset.
    values: vec4<f32>,
}

struct Stage {
    // -, rgbGen, alphaGen, fog adjust
    kinds: vec4<u32>,
    // tcGen 0, tcGen 1, number of deforms, number of turbulences (both bundles)
    counts: vec4<u32>,
    // Color bytes as numbers.
    color: vec4<f32>,
    // portal range, identity light, -, -
    values: vec4<f32>,
    // Linear function of the model position: depth below the fog's surface.
    fog_plane: vec4<f32>,
    // tcScale, depth of the eye below the surface, 1 if there is a surface, -
    fog: vec4<f32>,
    // Place in model space and radius.
    light: vec4<f32>,
    tex: array<TexCoords, 2>,
    deforms: array<Deform, 3>,
}

@group(0) @binding(0) var<uniform> objects: array<Object, 64>;
@group(0) @binding(1) var lightmaps: texture_2d_array<f32>;
@group(0) @binding(2) var lightmap_sampler: sampler;
@group(1) @binding(0) var<uniform> stage: Stage;
@group(2) @binding(0) var image0: texture_2d<f32>;
@group(2) @binding(1) var sampler0: sampler;
@group(3) @binding(0) var image1: texture_2d<f32>;
@group(3) @binding(1) var sampler1: sampler;

// All that a pipeline fixes, as one number: wgpu knows a program of OpenGL again by its constants in the order of a
// hash map, which is another one each time, so that with several the same program is compiled over and over.
override VARIANT: u32 = 0u;
// 0 one image, 1 product of two, 2 sum of two.
override COMBINE: u32 = VARIANT & 3u;
// 0 none, 1 the first image is the lightmap, 2 the second is.
override LIGHTMAP: u32 = (VARIANT >> 2u) & 3u;
// 0 none, 1 above 0, 2 below half, 3 from half on.
override ALPHA_TEST: u32 = (VARIANT >> 4u) & 3u;
// 0 a stage of the material, 1 its fog, 2 a dynamic light.
override PASS: u32 = (VARIANT >> 6u) & 3u;
// Whether the view has a clip plane.
override CLIPPED: bool = (VARIANT & 256u) != 0u;
// Whether vertices move.
override DEFORMS: bool = (VARIANT & 512u) != 0u;
// Whether the stage needs more than what nearly all stages do: constant, vertex or diffuse colors, plain coordinates.
override RICH: bool = (VARIANT & 1024u) != 0u;
// Whether the color replaces what was there, which then is opaque.
override OPAQUE: bool = (VARIANT & 2048u) != 0u;
// Whether the draw has several things that look alike; without, what is known of the only one is constant.
override INSTANCED: bool = (VARIANT & 4096u) != 0u;
// Whether fog weakens the stage.
override FOGGED: bool = (VARIANT & 8192u) != 0u;
// Whether noise bends normals.
override BENDS: bool = (VARIANT & 16384u) != 0u;

// The thing that this vertex is a part of.
var<private> thing: u32 = 0u;

struct Varyings {
    @invariant @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) tex: vec4<f32>,
    @location(2) @interpolate(flat, either) layer: u32,
    @location(3) clip: f32,
}

struct Vertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    tex: vec2<f32>,
    lightmap: vec2<f32>,
    // Bytes as numbers.
    color: vec4<f32>,
    // Always 0, but only we know. Software drivers compile a shader anew whenever a uniform changes that steers a
    // branch of it, so such uniforms are added to this.
    zero: u32,
}

// The reference's sine table has 1024 entries over 1023 steps.
fn sine_entry(index: i32) -> f32 {
    return sin(f32(index & 1023) * (6.283185307179586 / 1023.0));
}

fn table_index(x: f32) -> i32 {
    return i32(floor(x * 1024.0)) & 1023;
}

fn wave(func: u32, x: f32) -> f32 {
    let i = table_index(x);
    switch func {
        case 1u: { return select(-1.0, 1.0, i < 512); }
        case 2u: {
            let half = i & 511;
            let rise = select(1.0 - f32(half - 256) / 256.0, f32(half) / 256.0, half < 256);
            return select(-rise, rise, i < 512);
        }
        case 3u: { return f32(i) / 1024.0; }
        case 4u: { return 1.0 - f32(i) / 1024.0; }
        default: { return sine_entry(i); }
    }
}

fn hash(p: vec3<i32>) -> f32 {
    var h = u32(p.x) * 374761393u + u32(p.y) * 668265263u + u32(p.z) * 2147483647u;
    h = (h ^ (h >> 13u)) * 1274126177u;
    return f32((h ^ (h >> 16u)) & 0xffffu) / 32767.5 - 1.0;
}

// Smooth noise along x over time; the reference's own table is random in every run.
fn noise(p: vec3<f32>) -> f32 {
    let base = vec3<i32>(floor(p));
    let f = p - floor(p);
    let x00 = mix(hash(base), hash(base + vec3(1, 0, 0)), f.x);
    let x10 = mix(hash(base + vec3(0, 1, 0)), hash(base + vec3(1, 1, 0)), f.x);
    let x01 = mix(hash(base + vec3(0, 0, 1)), hash(base + vec3(1, 0, 1)), f.x);
    let x11 = mix(hash(base + vec3(0, 1, 1)), hash(base + vec3(1, 1, 1)), f.x);
    return mix(mix(x00, x10, f.y), mix(x01, x11, f.y), f.z);
}

fn deform(vertex: ptr<function, Vertex>) {
    let zero = (*vertex).zero;
    for (var i = zero; i < stage.counts.z; i++) {
        let d = stage.deforms[i];
        let v = d.values;
        let p = (*vertex).position;
        switch d.kind.x + zero {
            case 0u: {
                let x = v.z + (p.x + p.y + p.z) * v.w;
                (*vertex).position = p + (*vertex).normal * (v.x + wave(d.kind.y + zero, x) * v.y);
            }
            case 1u: {
                let x = floor((1024.0 / 6.283185307179586) * ((*vertex).tex.x * v.x + v.z));
                (*vertex).position = p + (*vertex).normal * v.y * sine_entry(i32(x));
            }
            case 2u: { (*vertex).position = p + v.xyz; }
            case 3u: {
                if BENDS {
                    let at = vec3(0.98 * p.x, 0.98 * p.y, v.y + 0.98 * p.z);
                    let n = vec3(noise(at), noise(at + vec3(100.0, 0.0, 0.0)), noise(at + vec3(200.0, 0.0, 0.0)));
                    (*vertex).normal = normalize((*vertex).normal + v.x * n);
                }
            }
            case 4u: {
                // Flat onto the floor along the light: values hold the up axis and the height above the floor.
                let ground = v.xyz;
                let height = dot(p, ground) + v.w;
                var light = objects[thing].light_dir.xyz;
                var k = dot(light, ground);
                if k < 0.5 {
                    light += (0.5 - k) * ground;
                    k = dot(light, ground);
                }
                (*vertex).position = p - light * (height / k);
            }
            default: {}
        }
    }
}

fn fog_coordinates(p: vec3<f32>) -> vec2<f32> {
    let s = stage.fog.x * dot(objects[thing].depth, vec4(p, 1.0)) + 1.0 / 512.0;
    let eye_depth = stage.fog.y;
    let depth = dot(stage.fog_plane, vec4(p, 1.0));
    let outside = select(1.0 / 32.0 + (30.0 / 32.0) * depth / (depth - eye_depth), 1.0 / 32.0, depth < 1.0);
    let inside = select(31.0 / 32.0, 1.0 / 32.0, depth < 0.0);
    return vec2(s, select(inside, outside, eye_depth < 0.0));
}

fn fog_factor(st: vec2<f32>) -> f32 {
    var x = st.x - 1.0 / 512.0;
    if x < 0.0 || st.y < 1.0 / 32.0 {
        return 0.0;
    }
    if st.y < 31.0 / 32.0 {
        x *= (st.y - 1.0 / 32.0) * (32.0 / 30.0);
    }
    return sqrt(floor(255.0 * min(1.0, 8.0 * x)) / 255.0);
}

fn specular_alpha(vertex: Vertex) -> f32 {
    let light = normalize(vec3(-960.0, 1980.0, 96.0) - vertex.position);
    let reflected = 2.0 * dot(vertex.normal, light) * vertex.normal - light;
    let view = objects[thing].local_eye.xyz - vertex.position;
    let s = dot(reflected, view) / length(view);
    let squared = s * s;
    return select(min(255.0, floor(255.0 * squared * squared)), 0.0, s < 0.0);
}

fn diffuse(vertex: Vertex) -> vec3<f32> {
    let i = max(dot(vertex.normal, objects[thing].light_dir.xyz), 0.0);
    return min(vec3(255.0), floor(objects[thing].ambient.rgb + i * objects[thing].directed.rgb));
}

// The colors that nearly all stages have, without branches.
fn plain_color(vertex: Vertex) -> vec4<f32> {
    var color = stage.color;
    let kind = stage.kinds.y;
    let from_vertex = floor(vertex.color.rgb * select(1.0, stage.values.y, kind == 1u));
    var rgb = select(color.rgb, from_vertex, kind == 1u || kind == 2u);
    rgb = select(rgb, diffuse(vertex), kind == 4u);
    var a = select(color.a, vertex.color.a, stage.kinds.z == 1u);
    a = select(a, objects[thing].ambient.w, stage.kinds.z == 5u);
    return clamp(vec4(rgb, a) / 255.0, vec4(0.0), vec4(1.0));
}

fn rich_color(vertex: Vertex) -> vec4<f32> {
    var color = stage.color;
    switch stage.kinds.y + vertex.zero {
        case 1u: { color = vec4(floor(vertex.color.rgb * stage.values.y), color.a); }
        case 2u: { color = vec4(vertex.color.rgb, color.a); }
        case 3u: { color = vec4(floor((255.0 - vertex.color.rgb) * stage.values.y), color.a); }
        case 4u: { color = vec4(diffuse(vertex), color.a); }
        default: {}
    }
    switch stage.kinds.z + vertex.zero {
        case 1u: { color.a = vertex.color.a; }
        case 2u: { color.a = 255.0 - vertex.color.a; }
        case 3u: {
            let distance = length(vertex.position - objects[thing].world_eye.xyz);
            color.a = floor(255.0 * clamp(distance / stage.values.x, 0.0, 1.0));
        }
        case 4u: { color.a = specular_alpha(vertex); }
        // The map itself is lit by nothing and has no alpha.
        case 5u: { color.a = objects[thing].ambient.w; }
        default: {}
    }
    if FOGGED {
        let adjust = stage.kinds.w + vertex.zero;
        let f = 1.0 - fog_factor(fog_coordinates(vertex.position));
        if (adjust & 1u) != 0u {
            color = vec4(floor(color.rgb * f), color.a);
        }
        if (adjust & 2u) != 0u {
            color.a = floor(color.a * f);
        }
    }
    return clamp(color / 255.0, vec4(0.0), vec4(1.0));
}

fn generate(kind: u32, bundle: u32, vertex: Vertex) -> vec2<f32> {
    switch kind + vertex.zero {
        case 1u: { return vertex.lightmap; }
        case 2u: {
            let view = normalize(objects[thing].local_eye.xyz - vertex.position);
            let reflected = 2.0 * dot(vertex.normal, view) * vertex.normal - view;
            return vec2(0.5 + 0.5 * reflected.y, 0.5 - 0.5 * reflected.z);
        }
        case 3u: {
            return vec2(
                dot(vertex.position, stage.tex[bundle].s_vector.xyz),
                dot(vertex.position, stage.tex[bundle].t_vector.xyz),
            );
        }
        default: { return vertex.tex; }
    }
}

fn transform(st: vec2<f32>, bundle: u32) -> vec2<f32> {
    let m = stage.tex[bundle].matrix;
    return vec2(st.x * m.x + st.y * m.z, st.x * m.y + st.y * m.w) + stage.tex[bundle].offset.xy;
}

fn modify(st: vec2<f32>, bundle: u32, turbs: u32, vertex: Vertex) -> vec2<f32> {
    let p = vertex.position;
    var out = transform(st, bundle);
    for (var i = vertex.zero; i < turbs; i++) {
        let phase = stage.tex[bundle].turb_phase[i];
        let x = sine_entry(table_index((p.x + p.z) / 1024.0 + phase));
        let y = sine_entry(table_index(p.y / 1024.0 + phase));
        let l = stage.tex[bundle].turb[i];
        out += vec2(x * l.x + y * l.z, x * l.y + y * l.w);
    }
    return out;
}

// Moves a vertex out of the plane of the eye, where it has no place on the screen: by what nobody sees. SwiftShader
// paints triangles with such a vertex in one color.
fn before_or_behind(position: vec4<f32>) -> vec4<f32> {
    let least = (abs(position.x) + abs(position.y)) / 16384.0 + 1e-6;
    return vec4(position.xyz, select(position.w, least, abs(position.w) < least));
}

// What every pass tells of a vertex.
fn place(vertex: Vertex, layer: u32) -> Varyings {
    let offset = vertex.position - objects[thing].local_eye.xyz;
    var out: Varyings;
    out.position = before_or_behind(objects[thing].clip_from_local * vec4(offset, 1.0));
    out.clip = dot(objects[thing].clip_plane, vec4(vertex.position, 1.0));
    out.layer = layer;
    return out;
}

fn rich_coordinates(bundle: u32, vertex: Vertex) -> vec2<f32> {
    let kind = select(stage.counts.x, stage.counts.y, bundle == 1u);
    let turbs = (stage.counts.w >> (4u * bundle)) & 15u;
    return modify(generate(kind, bundle, vertex), bundle, turbs, vertex);
}

fn shade(input: Vertex, layer: u32) -> Varyings {
    var vertex = input;
    if DEFORMS {
        deform(&vertex);
    }
    var out = place(vertex, layer);
    if PASS == 1u {
        shade_fog(vertex, &out);
    } else if PASS == 2u {
        shade_light(vertex, &out);
    } else if RICH {
        out.color = rich_color(vertex);
        out.tex = vec4(rich_coordinates(0u, vertex), 0.0, 0.0);
        if COMBINE != 0u {
            out.tex = vec4(out.tex.xy, rich_coordinates(1u, vertex));
        }
    } else {
        shade_plain(vertex, &out);
    }
    return out;
}

fn shade_fog(vertex: Vertex, out: ptr<function, Varyings>) {
    (*out).color = stage.color / 255.0;
    (*out).tex = vec4(fog_coordinates(vertex.position), 0.0, 0.0);
}

fn shade_light(vertex: Vertex, out: ptr<function, Varyings>) {
    let v = stage.light.xyz - vertex.position;
    let radius = stage.light.w;
    let strength = clamp(2.0 * (radius - abs(v.z)) / radius, 0.0, 1.0);
    (*out).color = vec4(floor(stage.color.rgb * strength) / 255.0, 1.0);
    (*out).tex = vec4(vec2(0.5) + v.xy / radius, 0.0, 0.0);
}

fn shade_plain(vertex: Vertex, out: ptr<function, Varyings>) {
    (*out).color = plain_color(vertex);
    let st0 = transform(select(vertex.tex, vertex.lightmap, stage.counts.x == 1u), 0u);
    (*out).tex = vec4(st0, 0.0, 0.0);
    if COMBINE != 0u {
        let st1 = transform(select(vertex.tex, vertex.lightmap, stage.counts.y == 1u), 1u);
        (*out).tex = vec4(st0, st1);
    }
}

struct WorldVertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tex: vec2<f32>,
    @location(3) lightmap: vec2<f32>,
    @location(4) color: vec4<f32>,
    @location(5) layer: u32,
}

fn world_vertex(in: WorldVertex, index: u32) -> Vertex {
    let color = floor(in.color * 255.0 + 0.5);
    return Vertex(in.position, in.normal, in.tex, in.lightmap, color, index >> 31u);
}

@vertex
fn vs_world(in: WorldVertex, @builtin(vertex_index) index: u32) -> Varyings {
    return shade(world_vertex(in, index), in.layer);
}

// Most stages keep their vertices and do no more than most. Drivers compile a pipeline in half the time if what it
// never does is not even within reach.
@vertex
fn vs_world_plain(in: WorldVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let vertex = world_vertex(in, index);
    var out = place(vertex, in.layer);
    shade_plain(vertex, &out);
    return out;
}

@vertex
fn vs_world_fog(in: WorldVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let vertex = world_vertex(in, index);
    var out = place(vertex, in.layer);
    shade_fog(vertex, &out);
    return out;
}

@vertex
fn vs_world_light(in: WorldVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let vertex = world_vertex(in, index);
    var out = place(vertex, in.layer);
    shade_light(vertex, &out);
    return out;
}

struct ModelVertex {
    // Position in 1/64 units and the packed normal, of this frame and of the old one.
    @location(0) frame: vec4<i32>,
    @location(1) old_frame: vec4<i32>,
    @location(2) tex: vec2<f32>,
}

fn unpack_normal(packed: i32) -> vec3<f32> {
    let lat = ((packed >> 8u) & 255) * 4;
    let lng = (packed & 255) * 4;
    return vec3(
        sine_entry(lat + 256) * sine_entry(lng),
        sine_entry(lat) * sine_entry(lng),
        sine_entry(lng + 256),
    );
}

fn model_vertex(in: ModelVertex, index: u32) -> Vertex {
    let k = objects[thing].frame.x;
    let position = (vec3<f32>(in.old_frame.xyz) * k + vec3<f32>(in.frame.xyz) * (1.0 - k)) / 64.0;
    let newest = unpack_normal(in.frame.w);
    let between = normalize(unpack_normal(in.old_frame.w) * k + newest * (1.0 - k));
    let normal = select(newest, between, k > 0.0);
    return Vertex(position, normal, in.tex, in.tex, vec4(255.0), index >> 31u);
}

@vertex
fn vs_model(
    in: ModelVertex,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Varyings {
    if INSTANCED {
        thing = instance;
    }
    return shade(model_vertex(in, index), 0u);
}

@vertex
fn vs_model_plain(
    in: ModelVertex,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Varyings {
    if INSTANCED {
        thing = instance;
    }
    let vertex = model_vertex(in, index);
    var out = place(vertex, 0u);
    shade_plain(vertex, &out);
    return out;
}

@vertex
fn vs_model_fog(in: ModelVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let vertex = model_vertex(in, index);
    var out = place(vertex, 0u);
    shade_fog(vertex, &out);
    return out;
}

@fragment
fn fs_main(in: Varyings) -> @location(0) vec4<f32> {
    var color: vec4<f32>;
    if LIGHTMAP == 1u {
        color = textureSample(lightmaps, lightmap_sampler, in.tex.xy, in.layer);
    } else {
        color = textureSample(image0, sampler0, in.tex.xy);
    }
    if COMBINE == 0u {
        color *= in.color;
    } else {
        var second: vec4<f32>;
        if LIGHTMAP == 2u {
            second = textureSample(lightmaps, lightmap_sampler, in.tex.zw, in.layer);
        } else {
            second = textureSample(image1, sampler1, in.tex.zw);
        }
        if COMBINE == 1u {
            color *= in.color * second;
        } else {
            color = vec4(color.rgb * in.color.rgb + second.rgb, color.a * in.color.a * second.a);
        }
    }
    color = clamp(color, vec4(0.0), vec4(1.0));
    if CLIPPED && in.clip < 0.0 {
        discard;
    }
    if ALPHA_TEST == 1u && color.a <= 0.0 {
        discard;
    }
    if ALPHA_TEST == 2u && color.a >= 0.5 {
        discard;
    }
    if ALPHA_TEST == 3u && color.a < 0.5 {
        discard;
    }
    if OPAQUE {
        color.a = 1.0;
    }
    return color;
}

// Surfaces of the maps that need more than their picture and a light map.

textures/strafe/floor_metal
{
	surfaceparm metalsteps
	{
		map $lightmap
		rgbGen identity
	}
	{
		map textures/strafe/floor_metal.jpg
		blendFunc filter
		rgbGen identity
	}
}

textures/strafe/grate
{
	surfaceparm metalsteps
	surfaceparm trans
	cull none
	{
		map textures/strafe/grate.tga
		alphaFunc GE128
		depthWrite
		rgbGen identity
	}
	{
		map $lightmap
		blendFunc filter
		depthFunc equal
		rgbGen identity
	}
}

textures/strafe/light_white
{
	surfaceparm nomarks
	q3map_surfacelight 2000
	{
		map $lightmap
		rgbGen identity
	}
	{
		map textures/strafe/light_white.jpg
		blendFunc filter
		rgbGen identity
	}
	{
		map textures/strafe/light_white_glow.jpg
		blendFunc add
		rgbGen identity
	}
}

textures/strafe/light_cyan
{
	surfaceparm nomarks
	q3map_surfacelight 1200
	{
		map $lightmap
		rgbGen identity
	}
	{
		map textures/strafe/light_cyan.jpg
		blendFunc filter
		rgbGen identity
	}
	{
		map textures/strafe/light_cyan_glow.jpg
		blendFunc add
		rgbGen wave sin 0.94 0.06 0 0.5
	}
}

textures/strafe/light_amber
{
	surfaceparm nomarks
	q3map_surfacelight 1200
	{
		map $lightmap
		rgbGen identity
	}
	{
		map textures/strafe/light_amber.jpg
		blendFunc filter
		rgbGen identity
	}
	{
		map textures/strafe/light_amber_glow.jpg
		blendFunc add
		rgbGen wave sin 0.94 0.06 0.5 0.4
	}
}

textures/strafe/jumppad
{
	surfaceparm nodamage
	surfaceparm nomarks
	q3map_surfacelight 400
	{
		map $lightmap
		rgbGen identity
	}
	{
		map textures/strafe/jumppad.jpg
		blendFunc filter
		rgbGen identity
	}
	{
		clampmap textures/strafe/jumppad_glow.jpg
		blendFunc add
		rgbGen wave sin 0.7 0.3 0 1.2
	}
	{
		clampmap gfx/strafe/ring.jpg
		blendFunc add
		tcMod stretch inversesawtooth 0.2 0.9 0 0.9
		rgbGen wave inversesawtooth 0 0.6 0 0.9
	}
}

textures/strafe/teleporter
{
	surfaceparm nolightmap
	surfaceparm nomarks
	cull none
	q3map_surfacelight 500
	{
		clampmap textures/strafe/teleporter.jpg
		tcMod rotate 40
		rgbGen identity
	}
	{
		map textures/strafe/teleporter_rim.jpg
		blendFunc add
		tcMod scale 2 2
		tcMod scroll 0.08 0.23
		rgbGen wave sin 0.7 0.3 0 0.6
	}
}

textures/strafe/water
{
	surfaceparm water
	surfaceparm trans
	surfaceparm nonsolid
	surfaceparm nolightmap
	surfaceparm nomarks
	cull none
	deformVertexes wave 100 sin 0 1.5 0 0.5
	{
		map textures/strafe/water.jpg
		blendFunc blend
		tcMod scale 0.5 0.5
		tcMod turb 0 0.05 0 0.15
		tcMod scroll 0.02 0.03
		rgbGen identity
		alphaGen const 0.6
	}
	{
		map textures/strafe/water.jpg
		blendFunc add
		tcMod scale 0.8 0.8
		tcMod scroll -0.03 0.015
		rgbGen const ( 0.4 0.4 0.4 )
	}
}

textures/strafe/fog
{
	surfaceparm fog
	surfaceparm trans
	surfaceparm nonsolid
	surfaceparm nolightmap
	cull none
	fogParms ( 0.16 0.34 0.38 ) 420
}

textures/strafe/sky
{
	surfaceparm sky
	surfaceparm noimpact
	surfaceparm nolightmap
	q3map_sun 0.95 0.85 0.75 70 42 14
	q3map_surfacelight 120
	skyParms textures/strafe/sky 512 -
}

textures/strafe/mirror
{
	surfaceparm nolightmap
	portal
	{
		map textures/strafe/mirror.tga
		blendFunc blend
		depthWrite
		rgbGen identity
	}
}

textures/strafe/numbers
{
	surfaceparm nolightmap
	surfaceparm trans
	surfaceparm nomarks
	polygonOffset
	{
		clampmap textures/strafe/numbers.tga
		blendFunc blend
		rgbGen identity
	}
}

textures/strafe/stripe_amber
{
	surfaceparm nolightmap
	surfaceparm trans
	surfaceparm nomarks
	polygonOffset
	{
		map $whiteimage
		rgbGen const ( 1 0.62 0.16 )
	}
}

textures/strafe/stripe_cyan
{
	surfaceparm nolightmap
	surfaceparm trans
	surfaceparm nomarks
	polygonOffset
	{
		map $whiteimage
		rgbGen const ( 0.3 0.86 0.92 )
	}
}

textures/strafe/clip
{
	surfaceparm nodraw
	surfaceparm nolightmap
	surfaceparm playerclip
	surfaceparm trans
	surfaceparm nomarks
	{
		map $whiteimage
		blendFunc GL_ZERO GL_ONE
	}
}

textures/strafe/caulk
{
	surfaceparm nodraw
	surfaceparm nolightmap
	surfaceparm nomarks
	{
		map $whiteimage
		rgbGen const ( 0 0 0 )
	}
}

textures/strafe/trigger
{
	surfaceparm nodraw
	surfaceparm nolightmap
	surfaceparm trans
	surfaceparm nomarks
	{
		map $whiteimage
		blendFunc GL_ZERO GL_ONE
	}
}

textures/strafe/nodraw
{
	surfaceparm nodraw
	surfaceparm nonsolid
	surfaceparm nolightmap
	surfaceparm trans
	surfaceparm nomarks
	{
		map $whiteimage
		blendFunc GL_ZERO GL_ONE
	}
}
